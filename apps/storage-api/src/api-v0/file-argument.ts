import type { IncomingMessage } from 'node:http';
import { ApiError } from './api-error.ts';
import { readParts } from './multipart.ts';

export interface FileArgumentOptions {
  /** Kubo's name of the argument. */
  readonly name: string;
  readonly bytesMax: number;
  readonly signal: AbortSignal;
}

/**
 * Reads the one small file that a command takes: the first part of the body. Further parts are ignored, as in Kubo.
 * @throws PlainApiError 400 without a body of parts; ApiError 500 for a directory, 400 for a file that is longer
 * than `bytesMax`
 */
export async function fileArgument(
  request: IncomingMessage,
  { name, bytesMax, signal }: FileArgumentOptions,
): Promise<Buffer> {
  for await (const { bytes, contentType } of readParts(request, signal, name)) {
    if (contentType === 'application/x-directory')
      throw new ApiError(500, 'failed to access file: file argument was nil');
    const chunks: Uint8Array[] = [];
    let length = 0;
    for await (const chunk of bytes) {
      length += chunk.length;
      if (length > bytesMax)
        throw new ApiError(400, `file argument '${name}' is longer than ${bytesMax} bytes; send less`);
      chunks.push(chunk);
    }
    return Buffer.concat(chunks);
  }
  throw new ApiError(500, 'failed to access file: expected a file argument');
}
