import { expect, test } from '@jest/globals';
import { parsePartHeaders } from './part-headers.ts';

const disposition = (value: string) => parsePartHeaders(`Content-Disposition: form-data; ${value}`);

test.each([
  ['name="file"; filename="a.txt"', 'a.txt'],
  ['name="file"; filename="a%20b%2Fc"', 'a b/c'],
  ['name="file"; filename="100%"', '100%'],
  ['name="file"; filename="say \\"hi\\" \\\\o/"', 'say "hi" \\o'],
  ['name="file"; filename=plain.txt', 'plain.txt'],
  ['name="file"; filename="x"; filename*=UTF-8\'\'%E2%82%AC.txt', '€.txt'],
  ['name="file"', ''],
  // Recorded from Kubo 0.42.0.
  ['name="file"; filename="my+dir%2Fa+b.txt"', 'my dir/a b.txt'],
  ['name="file"; filename="a%2Bb"', 'a+b'],
  ['name="file"; filename="a%zz+b"', 'a%zz+b'],
  ['name="file"; filename="/x/../y/./z//q.txt/"', 'y/z/q.txt'],
  ['name="file"; filename="../../x"', 'x'],
  ['name="file"; filename="."', ''],
])('%s', (value, filename) => {
  expect(disposition(value)).toMatchObject({ name: 'file', filename });
});

test('parses content type, mode and time', () => {
  const text = [
    'content-type: Application/X-Directory; charset=x',
    'CONTENT-DISPOSITION: form-data; name="file-1?mode=0100644&mtime=-5&mtime-nsecs=7"; filename="d"',
  ].join('\r\n');
  expect(parsePartHeaders(text)).toEqual({
    name: 'file-1',
    filename: 'd',
    contentType: 'application/x-directory',
    isQuotedPrintable: false,
    metadata: { fileMode: 0o100644, mtime: { seconds: -5, nanoseconds: 7 } },
  });
});

test.each([
  ['Content-Disposition: form-data;\r\n name="file";\r\n\tfilename="a.txt"', 'a.txt'],
  ['Content-Disposition:\r\n  form-data; name="file"; filename="a.txt"\r\nX: y', 'a.txt'],
  ['Content-Disposition: form-data; filename="a"\r\nContent-Disposition: form-data; filename="b"', 'a'],
  ['A: 1\nContent-Disposition: form-data;\n filename="a"\nB: 2', 'a'],
])('reads continued and repeated header lines of %j as Kubo does', (text, filename) => {
  expect(parsePartHeaders(text)).toMatchObject({ filename });
});

test('refuses a file name that is not UTF-8', () => {
  expect(() => disposition('name="file"; filename="%ff"')).toThrow(expect.objectContaining({ status: 400 }));
});

test.each(['filename="a%00b"', 'filename="%00"', 'filename="d/%00/../x"', "filename*=UTF-8''a%00", 'filename="a\0b"'])(
  'refuses the NUL character in %j',
  (name) => {
    expect(() => disposition(`name="file"; ${name}`)).toThrow(
      expect.objectContaining({ status: 400, message: expect.stringContaining('NUL character') }),
    );
  },
);

test.each(['text/plain; x', '/', 'a/b/c', 'text/plain; x="', ';'])(
  'refuses the content type %s, as Kubo does',
  (type) => {
    expect(() => parsePartHeaders(`Content-Type: ${type}`)).toThrow(expect.objectContaining({ status: 400 }));
  },
);

test.each([
  ['text/plain; charset="utf-8"; x=y', 'text/plain'],
  ['image', 'image'],
  ['a/b;', 'a/b'],
])('takes the content type %s', (given, contentType) => {
  expect(parsePartHeaders(`Content-Type: ${given}`).contentType).toBe(contentType);
});
