const lineBytesMax = 16_384;
const lineFeed = 0x0a;
const carriageReturn = 0x0d;

/**
 * Percent-encodes the bytes of a request line that no ASCII character has. `curl` sends the characters of a URL as they are
 * typed, and Node's parser refuses them. The connection closes after the response: the parser sees the bytes of the next
 * request directly.
 * @param bytes the first bytes of a request
 */
export function withEncodedTarget(bytes: Buffer): Buffer {
  const end = bytes.indexOf(lineFeed);
  if (end < 1 || end > lineBytesMax || bytes[end - 1] !== carriageReturn) return bytes;
  const line = bytes.toString('latin1', 0, end - 1);
  const encoded = line.replace(/[\x80-\xff]/g, (byte) => `%${byte.charCodeAt(0).toString(16).toUpperCase()}`);
  if (encoded === line) return bytes;
  return Buffer.concat([Buffer.from(`${encoded}\r\nconnection: close\r\n`), bytes.subarray(end + 1)]);
}
