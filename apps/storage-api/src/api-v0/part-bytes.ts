import type { IncomingMessage } from 'node:http';
import { ApiError } from './api-error.ts';
import { readParts } from './multipart.ts';

/**
 * The parts of a body as byte arrays, one after the other, for commands whose parts are small.
 * @throws ApiError 400 for a part that is longer than `bytesMax`
 */
export async function* partBytes(
  request: IncomingMessage,
  bytesMax: number,
  signal: AbortSignal,
): AsyncGenerator<Uint8Array> {
  for await (const { bytes } of readParts(request, signal)) {
    const chunks: Uint8Array[] = [];
    let length = 0;
    for await (const chunk of bytes) {
      length += chunk.length;
      if (length > bytesMax) {
        throw new ApiError(
          400,
          `a part is longer than ${bytesMax} bytes: produced block is over 2MiB: big blocks can't be exchanged with other peers`,
        );
      }
      chunks.push(chunk);
    }
    yield Buffer.concat(chunks);
  }
}
