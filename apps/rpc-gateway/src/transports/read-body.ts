import type { IncomingMessage, ServerResponse } from 'node:http';
import { TransportError } from './api-key.ts';
import { decoded } from './content-encoding.ts';

/**
 * The body of a request, in one piece and without its encoding. A client that asks before it sends is told to go on only
 * when the length that it announces is allowed; a small body that unpacks to a large one is ended at the limit.
 * @param onLength called with the bytes so far: also those of a body that is refused are paid for
 * @throws TransportError 413 as soon as it is too long, 400 when it is not encoded as it says, Error when it is cut off
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
      reject(
        isEncoding ? new TransportError(400, 'parse', 'The body is not encoded as Content-Encoding says.') : error,
      );
    });
    source.once('close', () => reject(new Error('the client closed the connection')));
  });
}

/** The refusal of a longer body than a gateway takes. */
export function bodyTooLong(bytesMax: number): TransportError {
  return new TransportError(413, 'limit', `The body is longer than ${bytesMax} bytes, the limit of this gateway.`);
}
