import type { IncomingMessage } from 'node:http';

/** Reads a small body. Rejects if it is larger. The connection stays open for the response, as `discardBody` needs it. */
export async function readBody(request: IncomingMessage, bytesMax: number): Promise<Uint8Array> {
  const parts: Buffer[] = [];
  let bytes = 0;
  for await (const part of request.iterator({ destroyOnReturn: false })) {
    bytes += part.length;
    if (bytes > bytesMax) throw new Error(`The body has more than ${bytesMax} bytes.`);
    parts.push(part);
  }
  return Buffer.concat(parts);
}
