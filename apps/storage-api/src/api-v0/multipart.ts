import type { IncomingMessage } from 'node:http';
import { ApiError } from './api-error.ts';
import { MultipartBody } from './multipart-body.ts';
import { type PartHeaders, parsePartHeaders } from './part-headers.ts';

/** One part of an upload. What is not read of its bytes is passed over when the next part is asked for. */
export interface UploadPart extends PartHeaders {
  readonly bytes: AsyncIterable<Uint8Array>;
}

/**
 * Parts of one request: each costs headers and, in a directory, a name held in memory until the directory is written.
 */
const partsMax = 200_000;

/**
 * The parts of a multipart body (RFC 7578, RFC 2046 section 5.1), one after the other and only as fast as they are read:
 * no more than one chunk of the connection is held.
 * @throws ApiError 400 for a body that is no multipart or ends too early; the reason of the signal
 */
export async function* readParts(request: IncomingMessage, signal: AbortSignal): AsyncGenerator<UploadPart> {
  const chunks = chunksOf(request, signal);
  const body = new MultipartBody(chunks, boundaryOf(request));
  try {
    for (let count = 0; await body.nextPart(); count++) {
      if (count === partsMax)
        throw new ApiError(400, `the body has more than ${partsMax} parts; send several requests`);
      yield { ...parsePartHeaders(await body.partHeaders()), bytes: body.partBytes() };
    }
  } finally {
    // Lets go of the request, also where parts are left: what remains of the body can then be passed over.
    void chunks.return(undefined);
  }
}

/** Chunks of the body as they come. The request outlives it, since the answer goes the same way. */
async function* chunksOf(request: IncomingMessage, signal: AbortSignal): AsyncGenerator<Buffer> {
  const chunks: AsyncIterator<Buffer> = request.iterator({ destroyOnReturn: false });
  let giveUp: (reason: unknown) => void = () => {};
  const onAbort = () => giveUp(signal.reason);
  signal.addEventListener('abort', onAbort, { once: true });
  try {
    while (true) {
      signal.throwIfAborted();
      // A promise for each chunk: a race with one that lives as long as the request would keep all chunks in memory.
      const { done, value } = await new Promise<IteratorResult<Buffer>>((resolve, reject) => {
        giveUp = reject;
        chunks.next().then(resolve, reject);
      });
      if (done) return;
      yield value;
    }
  } catch (error) {
    if (request.complete || signal.aborted) throw error;
    throw new ApiError(400, 'the connection was closed before the end of the body');
  } finally {
    signal.removeEventListener('abort', onAbort);
    // Not waited for: a chunk may still be on its way.
    chunks.return?.().catch(() => {});
  }
}

function boundaryOf({ headers }: IncomingMessage): Buffer {
  const type = headers['content-type'] ?? '';
  const boundary = /;\s*boundary=(?:"([^"]{1,200})"|([^;\s]{1,200}))/i.exec(type);
  const text = boundary?.[1] ?? boundary?.[2];
  if (!/^multipart\/\S/i.test(type) || text === undefined) {
    throw new ApiError(400, 'expected Content-Type multipart/form-data with a boundary, and a part named "file"');
  }
  return Buffer.from(text);
}
