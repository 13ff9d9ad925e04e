import type { IncomingMessage, ServerResponse } from 'node:http';
import { DoorError } from './api-key.ts';

/**
 * The body of a request, in one piece. A client that asks before it sends is told to go on only when the length that it
 * announces is allowed.
 * @throws DoorError 413 as soon as it is too long, Error when it is cut off
 */
export function readBody(request: IncomingMessage, response: ServerResponse, bytesMax: number): Promise<Buffer> {
  const tooLong = () =>
    new DoorError(413, 'limit', `The body is longer than ${bytesMax} bytes, the limit of this gateway.`);
  if (Number(request.headers['content-length'] ?? 0) > bytesMax) return Promise.reject(tooLong());
  if (request.headers.expect !== undefined) response.writeContinue();
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let length = 0;
    request.on('data', (chunk: Buffer) => {
      length += chunk.length;
      if (length > bytesMax) {
        request.removeAllListeners('data');
        reject(tooLong());
      } else chunks.push(chunk);
    });
    request.once('end', () => resolve(chunks.length === 1 && chunks[0] ? chunks[0] : Buffer.concat(chunks)));
    request.once('error', reject);
    request.once('close', () => reject(new Error('the client closed the connection')));
  });
}
