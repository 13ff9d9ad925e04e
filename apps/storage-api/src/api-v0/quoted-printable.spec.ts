import { expect, test } from '@jest/globals';
import { decodeQuotedPrintable } from './quoted-printable.ts';

async function decode(text: string, chunkLength = text.length || 1): Promise<string> {
  async function* chunks() {
    for (let at = 0; at < text.length; at += chunkLength) yield Buffer.from(text.slice(at, at + chunkLength), 'latin1');
  }
  const decoded: Buffer[] = [];
  for await (const bytes of decodeQuotedPrintable(chunks())) decoded.push(bytes);
  return Buffer.concat(decoded).toString('latin1');
}

// Each result is that of `add` and `cat` of Kubo 0.42.0.
test.each([
  ['h=41i', 'hAi'],
  ['h=c3=A9', 'h\xc3\xa9'],
  ['one=\r\n two', 'one two'],
  ['one=\n two', 'one two'],
  ['kept\r\nlines\n', 'kept\r\nlines\n'],
  ['white \t\r\nspace  ', 'white\r\nspace'],
  ['soft= \r\nbreak', 'softbreak'],
  ['=3D=', '='],
  ['1=zz', '1=zz'],
  ['=00=0a', '\0\n'],
  ['\xe9', '\xe9'],
  ['', ''],
])('decodes %j, wherever the chunks of the connection end', async (given, decoded) => {
  for (let length = 1; length <= given.length + 1; length++) expect(await decode(given, length)).toBe(decoded);
});

test.each(['\0', 'a\x07b', '\x7f'])('refuses the control character in %j', async (text) => {
  await expect(decode(text)).rejects.toMatchObject({ status: 400 });
});

test('refuses a line that would be held in memory', async () => {
  await expect(decode('x'.repeat(1_000_000), 10_000)).rejects.toMatchObject({ status: 400 });
});
