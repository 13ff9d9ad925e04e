import type { IncomingMessage, ServerResponse } from 'node:http';
import { decoded } from './content-encoding.ts';
import { TransportError } from './transport-error.ts';

/**
 * Reads and decompresses the body of a request. A client that sent `Expect: 100-continue` may continue only if its announced length
 * is allowed. Reading stops at the limit, so that a small body cannot expand to a large one.
 * @param onLength called with the number of bytes so far: bytes of refused bodies are charged too
 * @throws TransportError 413 as soon as the body is too long, 400 for a wrong Content-Encoding; Error if the client disconnects
 */
export function readBody(
  request: IncomingMessage,
  response: ServerResponse,
  bytesMax: number,
  onLength: (bytes: number) => void = () => {},
): Promise<Buffer> {
  if (Number(request.headers['content-length'] ?? 0) > bytesMax) return Promise.reject(bodyTooLong(bytesMax));
  return new Promise((resolve, reject) => {
    const source = decoded(request);
    if (request.headers.expect !== undefined) response.writeContinue();
    const chunks: Buffer[] = [];
    let length = 0;
    source.on('data', (chunk: Buffer) => {
      length += chunk.length;
      onLength(length);
      if (length > bytesMax) {
        source.removeAllListeners('data');
        reject(bodyTooLong(bytesMax));
        if (source !== request) source.destroy();
      } else chunks.push(chunk);
    });
    source.once('end', () => resolve(chunks.length === 1 && chunks[0] ? chunks[0] : Buffer.concat(chunks)));
    source.once('error', (error) => {
      const isEncoding = 'code' in error && /^(Z_|ERR_|BROTLI)/.test(String(error.code));
      reject(isEncoding ? wrongEncoding() : error);
    });
    source.once('close', () => reject(new Error('The client closed the connection.')));
  });
}

function wrongEncoding(): TransportError {
  const message = 'The body is not encoded as Content-Encoding says.';
  return new TransportError({ status: 400, name: 'parse', message });
}

/** The error for a body above the limit of the gateway. */
export function bodyTooLong(bytesMax: number): TransportError {
  const message = `The body is longer than ${bytesMax} bytes, the limit of this gateway.`;
  return new TransportError({ status: 413, name: 'limit', message });
}
