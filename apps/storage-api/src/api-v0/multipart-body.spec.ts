import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { MultipartBody } from './multipart-body.ts';

/** Cuts a body into chunks at the given places. */
async function* cut(body: Buffer, places: readonly number[]) {
  const ends = [...new Set(places.map((place) => place % (body.length + 1)))].sort((a, b) => a - b);
  let from = 0;
  for (const end of [...ends, body.length]) {
    if (end > from) yield body.subarray(from, end);
    from = Math.max(from, end);
  }
}

async function read(body: Buffer, places: readonly number[], boundary = 'b') {
  const reader = new MultipartBody(cut(body, places), Buffer.from(boundary));
  const parts: { headers: string; bytes: Buffer }[] = [];
  while (await reader.nextPart()) {
    const headers = await reader.partHeaders();
    const chunks: Buffer[] = [];
    for await (const chunk of reader.partBytes()) chunks.push(chunk);
    parts.push({ headers, bytes: Buffer.concat(chunks) });
  }
  return parts;
}

/** Bytes that often look like the beginning of a boundary. */
const content = fc
  .array(fc.constantFrom('\r', '\n', '\r\n', '-', '--', '\r\n--', '\r\n--b', '\r\n--bx', '\r\n--b-x', 'b', 'x'), {
    maxLength: 30,
  })
  .map((texts) => Buffer.from(texts.join('')))
  .filter((bytes) => !/\r\n--b(?:[ \t\r\n]|--|-?$)/.test(`\r\n${bytes.toString()}`));

test('returns the parts unchanged, wherever the chunks of the connection end', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(content, { minLength: 1, maxLength: 4 }),
      fc.array(fc.nat(500), { maxLength: 20 }),
      fc.constantFrom('', 'preamble\r\n'),
      async (contents, places, preamble) => {
        const head = 'Content-Disposition: form-data; name="file"';
        const parts = contents.flatMap((bytes) => [Buffer.from(`--b\r\n${head}\r\n\r\n`), bytes, Buffer.from('\r\n')]);
        const body = Buffer.concat([Buffer.from(preamble), ...parts, Buffer.from('--b--\r\nepilogue')]);
        const found = await read(body, places);
        expect(found.map(({ bytes }) => bytes.toString())).toEqual(contents.map((bytes) => bytes.toString()));
        expect(found.every(({ headers }) => headers === head)).toBe(true);
      },
    ),
    { numRuns: 500 },
  );
});

test('reads a body whose lines end with a line feed, as Go does', async () => {
  const body = Buffer.from('--b\nA: 1\nB: 2\n\n1\r\n\r\n--b\n\n2\n--bx\n--b\n\n\n--b--\n');
  for (const place of body.keys())
    expect(await read(body, [place])).toEqual([
      { headers: 'A: 1\nB: 2', bytes: Buffer.from('1\r\n\r') },
      { headers: '', bytes: Buffer.from('2\n--bx') },
      { headers: '', bytes: Buffer.alloc(0) },
    ]);
});

test('skips unread bytes of a part', async () => {
  const body = Buffer.from('--b\r\nA: 1\r\n\r\nfirst\r\n--b \t\r\n\r\nsecond\r\n--b--');
  const reader = new MultipartBody(cut(body, [3, 20, 25]), Buffer.from('b'));
  expect(await reader.nextPart()).toBe(true);
  expect(await reader.nextPart()).toBe(true);
  expect(await reader.partHeaders()).toBe('');
  expect(await reader.nextPart()).toBe(false);
});

test('treats text that begins like a boundary as preamble and as content', async () => {
  const body = Buffer.from('--bx\r\n--b\r\n\r\n1\r\n--bx\r\n--b-\r\n--b--');
  for (const place of body.keys())
    expect(await read(body, [place])).toEqual([{ headers: '', bytes: Buffer.from('1\r\n--bx\r\n--b-') }]);
});

test.each([
  ['', /ends before/],
  ['--b\r\nA: 1\r\n\r\nno end', /ends before/],
  ['--b\r\nA: 1\r\n', /ends before/],
  ['--b', /ends before/],
  ['--b x\r\n\r\n\r\n--b--', /other text/],
  ['--b\r\n\r\ncontent\r\n--b--x\r\nmore\r\n--b--', /last boundary is followed by other text/],
  [`${'x'.repeat(70_000)}--b--`, /does not occur/],
  [`--b\r\n${'A: 1\r\n'.repeat(5000)}\r\n`, /bytes of headers/],
])('refuses %j', async (body, reason) => {
  await expect(read(Buffer.from(body), [1, 5, 9])).rejects.toThrow(reason);
});

test('finds the boundary after content that often begins like one, as Buffer.indexOf does', async () => {
  const boundary = 'a-long-boundary';
  for (const repeated of [0, 1, 15, 16, 17, 40]) {
    const text = `${'\r\n--'.repeat(repeated)}${'\r\n--a-long-'.repeat(repeated)}`;
    const body = Buffer.from(`--${boundary}\r\n\r\n${text}\r\n--${boundary}--`);
    for (const places of [[], [25], [body.length - 10]])
      expect((await read(body, places, boundary)).map(({ bytes }) => bytes.toString())).toEqual([text]);
    expect(body.indexOf(`\r\n--${boundary}`)).toBe(boundary.length + 6 + text.length);
  }
});
