import { ApiError } from './api-error.ts';

/** Longest line without its end. The specification allows 76 characters. */
const lineBytesMax = 64 * 1024;
const lineFeed = 0x0a;

/**
 * Decodes content in the encoding quoted-printable (RFC 2045, section 6.7), as Go's mime/multipart does before Kubo reads a
 * part: an equals sign before characters that are no hexadecimal digits is content.
 * @throws ApiError 400 for a control character and for a line that is too long
 */
export async function* decodeQuotedPrintable(source: AsyncIterable<Uint8Array>): AsyncGenerator<Buffer> {
  let rest: Buffer = Buffer.alloc(0);
  for await (const chunk of source) {
    const bytes = Buffer.concat([rest, chunk]);
    const end = bytes.lastIndexOf(lineFeed) + 1;
    rest = bytes.subarray(end);
    if (rest.length > lineBytesMax) throw invalid(`a line has more than ${lineBytesMax} characters`);
    const decoded = decodeLines(bytes.toString('latin1', 0, end));
    if (decoded.length > 0) yield decoded;
  }
  const decoded = decodeLines(rest.toString('latin1'));
  if (decoded.length > 0) yield decoded;
}

/** Decodes whole lines, given as one character per byte. */
function decodeLines(lines: string): Buffer {
  if (/[^\t\r\n\x20-\x7e\x80-\xff]/.test(lines)) throw invalid('it contains a control character');
  const text = lines
    // White space at the end of a line is not content.
    .replace(/[ \t]+(?=\r?\n|$)/g, '')
    // An equals sign at the end of a line removes the line break.
    .replace(/=(?:\r?\n|$)/g, '')
    .replace(/=([\dA-Fa-f]{2})/g, (_, digits: string) => String.fromCharCode(Number.parseInt(digits, 16)));
  return Buffer.from(text, 'latin1');
}

function invalid(reason: string): ApiError {
  return new ApiError(400, `the quoted-printable content of a part cannot be read: ${reason}`);
}
