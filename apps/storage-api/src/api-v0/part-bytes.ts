import type { IncomingMessage } from 'node:http';
import { ApiError } from './api-error.ts';
import { readParts } from './multipart.ts';

export interface PartBytesOptions {
  readonly bytesMax: number;
  readonly signal: AbortSignal;
  /** Kubo's name of the parts. */
  readonly argument: string;
  /** The option `allow-big-block`: this service refuses longer blocks even with it. */
  readonly allowsBig: boolean;
}

/**
 * Yields the parts of a body as byte arrays, for commands whose parts are blocks.
 * @throws ApiError 400 for a part that is longer than `bytesMax`
 */
export async function* partBytes(
  request: IncomingMessage,
  { bytesMax, signal, argument, allowsBig }: PartBytesOptions,
): AsyncGenerator<Uint8Array> {
  for await (const { bytes } of readParts(request, signal, argument)) {
    const chunks: Uint8Array[] = [];
    let length = 0;
    for await (const chunk of bytes) {
      length += chunk.length;
      if (length > bytesMax) throw tooBig(bytesMax, allowsBig);
      chunks.push(chunk);
    }
    yield Buffer.concat(chunks);
  }
}

function tooBig(bytesMax: number, allowsBig: boolean): ApiError {
  const reason = "produced block is over 2MiB: big blocks can't be exchanged with other peers";
  const advice = allowsBig
    ? `this service stores blocks of ${bytesMax} bytes at most, also with --allow-big-block; use add for bigger files`
    : 'consider using UnixFS for automatic chunking of bigger files, or pass --allow-big-block to override';
  return new ApiError(400, `${reason}. ${advice}`);
}
