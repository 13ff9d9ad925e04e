import { expect, test } from '@jest/globals';
import { parsePartHeaders } from './part-headers.ts';

const disposition = (value: string) => parsePartHeaders(`Content-Disposition: form-data; ${value}`);

test.each([
  ['name="file"; filename="a.txt"', 'a.txt'],
  ['name="file"; filename="a%20b%2Fc"', 'a b/c'],
  ['name="file"; filename="100%"', '100%'],
  ['name="file"; filename="say \\"hi\\" \\\\o/"', 'say "hi" \\o/'],
  ['name="file"; filename=plain.txt', 'plain.txt'],
  ['name="file"; filename="x"; filename*=UTF-8\'\'%E2%82%AC.txt', '€.txt'],
  ['name="file"', ''],
])('%s', (value, filename) => {
  expect(disposition(value)).toMatchObject({ name: 'file', filename });
});

test('reads content type, mode and time', () => {
  const text = [
    'content-type: Application/X-Directory; charset=x',
    'CONTENT-DISPOSITION: form-data; name="file-1?mode=0100644&mtime=-5&mtime-nsecs=7"; filename="d"',
  ].join('\r\n');
  expect(parsePartHeaders(text)).toEqual({
    name: 'file-1',
    filename: 'd',
    contentType: 'application/x-directory',
    metadata: { mode: 0o644, mtime: { seconds: -5, nanoseconds: 7 } },
  });
});

test.each(['mode=9', 'mode=12345678', 'mtime=x', 'mtime=1&mtime-nsecs=-1', 'mtime-nsecs=1'])('refuses %s', (query) => {
  expect(() => disposition(`name="file?${query}"`)).toThrow(/mode|mtime/);
});
