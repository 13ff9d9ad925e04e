import { Readable } from 'node:stream';
import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { type RequestBody, readParts } from '../multipart.ts';
import { singleFileOf } from './single-file.ts';

const contentType = 'multipart/form-data; boundary=b';

/** Parts of a body by the streaming parser; undefined for an invalid body. */
async function partsOf(body: Buffer) {
  const request = Object.assign(Readable.from([body], { objectMode: false }), {
    headers: { 'content-type': contentType },
    complete: true,
  }) as unknown as RequestBody;
  const parts: { name: string; type: string; bytes: Buffer }[] = [];
  try {
    for await (const { filename, contentType: type, bytes } of readParts(request, new AbortController().signal)) {
      const chunks: Uint8Array[] = [];
      for await (const chunk of bytes) chunks.push(chunk);
      parts.push({ name: filename, type, bytes: Buffer.concat(chunks) });
    }
    return parts;
  } catch {
    return undefined;
  }
}

const disposition = 'Content-Disposition: form-data; name="file"; filename="f"\r\n';
const quotedPrintable = 'Content-Transfer-Encoding: Quoted-Printable\r\n';
const piece = fc.constantFrom(
  ...['--b', '--b--', '\r\n', '\r\n\r\n', '\r\n--b', '\r\n--b--', '\r\n--bx', '-', 'x', ' ', disposition],
);

test('finds the file that the streaming parser finds, or leaves the body to it', async () => {
  let found = 0;
  const check = async (body: Buffer) => {
    const file = singleFileOf(body, contentType);
    if (file === undefined) return;
    found++;
    const parts = await partsOf(body);
    expect(parts).toEqual([{ name: file.name, type: '', bytes: Buffer.from(file.bytes) }]);
  };
  await fc.assert(
    fc.asyncProperty(fc.array(piece, { maxLength: 12 }), async (pieces) => check(Buffer.from(pieces.join('')))),
    { numRuns: 1000 },
  );
  await fc.assert(
    fc.asyncProperty(fc.array(piece, { maxLength: 6 }), async (pieces) =>
      check(Buffer.from(`--b\r\n${disposition}\r\n${pieces.join('')}\r\n--b--`)),
    ),
    { numRuns: 1000 },
  );
  expect(found).toBeGreaterThan(100);
});

test.each([
  ['no content type', undefined],
  ['another content type', 'application/json'],
  ['no boundary', 'multipart/form-data'],
  ['another boundary', 'multipart/form-data; boundary=c'],
])('finds no file with %s', (_, type) => {
  expect(singleFileOf(Buffer.from(`--b\r\n${disposition}\r\nx\r\n--b--`), type)).toBeUndefined();
});

test('leaves a part in another encoding to the streaming parser, which decodes it', async () => {
  const body = Buffer.from(`--b\r\n${disposition}${quotedPrintable}\r\n=41=\r\n=42\r\n--b--`);
  expect(singleFileOf(body, contentType)).toBeUndefined();
  expect(await partsOf(body)).toEqual([{ name: 'f', type: '', bytes: Buffer.from('AB') }]);
});

test('finds no file in a long body or under a long header', () => {
  const body = (content: string, header = disposition) => Buffer.from(`--b\r\n${header}\r\n${content}\r\n--b--`);
  expect(singleFileOf(body('x'.repeat(60_000)), contentType)?.bytes.length).toBe(60_000);
  expect(singleFileOf(body('x'.repeat(70_000)), contentType)).toBeUndefined();
  expect(singleFileOf(body('x', `X: ${'y'.repeat(2000)}\r\n${disposition}`), contentType)).toBeUndefined();
});
