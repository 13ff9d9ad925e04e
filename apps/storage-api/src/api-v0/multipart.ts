import type { IncomingMessage } from 'node:http';
import type { Readable } from 'node:stream';
import { Slices } from '@cairn/blockstore';
import { ApiError, PlainApiError } from './api-error.ts';
import { MultipartBody } from './multipart-body.ts';
import { type PartHeaders, parsePartHeaders } from './part-headers.ts';
import { decodeQuotedPrintable } from './quoted-printable.ts';
import { UploadRateGuard } from './upload-rate-guard.ts';

/** The parts of a request that concern its body. */
export type RequestBody = Readable & Pick<IncomingMessage, 'headers' | 'complete'>;

/** One part of an upload. Unread bytes are skipped when the next part is requested. */
export interface UploadPart extends PartHeaders {
  readonly bytes: AsyncIterable<Uint8Array>;
}

/** Parts of one request. Each costs headers and, in a directory, a name in memory until the directory is written. */
const partsMax = 200_000;

/**
 * Yields the parts of a multipart body (RFC 7578, RFC 2046 section 5.1) one after the other, only as fast as they
 * are read: at most one chunk of the connection is held. `argument`: Kubo's name of the parts.
 * @throws ApiError 400 for a body that is no multipart or ends too early, 408 for one that arrives too slowly; the
 * reason of the signal
 */
export async function* readParts(
  request: RequestBody,
  signal: AbortSignal,
  argument = 'path',
  rateGuard = new UploadRateGuard(),
): AsyncGenerator<UploadPart> {
  const boundary = boundaryOf(request, argument);
  const chunks = chunksOf(request, signal, rateGuard);
  const body = new MultipartBody(chunks, boundary);
  try {
    const slices = Slices.of(signal);
    for (let count = 0; await body.nextPart(); count++) {
      // One chunk of the connection may hold thousands of parts.
      await slices.step();
      if (count === partsMax)
        throw new ApiError(400, `the body has more than ${partsMax} parts; send several requests`);
      const headers = parsePartHeaders(await body.partHeaders());
      const bytes = body.partBytes();
      yield { ...headers, bytes: headers.isQuotedPrintable ? decodeQuotedPrintable(bytes) : bytes };
    }
  } finally {
    // Releases the request, also where parts are left, so that the rest of the body can be skipped.
    void chunks.return(undefined);
  }
}

/** Yields the chunks of the body. The request stays open, since the response uses the same connection. */
async function* chunksOf(
  request: RequestBody,
  signal: AbortSignal,
  rateGuard: UploadRateGuard,
): AsyncGenerator<Buffer> {
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
        const arrived = rateGuard.wait(reject);
        const take = (next: IteratorResult<Buffer>) => {
          // Rejects first where the body is too slow.
          arrived(next.done === true ? undefined : next.value.length);
          resolve(next);
        };
        chunks.next().then(take, (error: unknown) => {
          arrived(undefined);
          reject(error);
        });
      });
      if (done) return;
      yield value;
    }
  } catch (error) {
    if (request.complete || signal.aborted || error instanceof ApiError) throw error;
    throw new ApiError(400, 'the connection was closed before the end of the body');
  } finally {
    signal.removeEventListener('abort', onAbort);
    // Not awaited: a chunk may still be arriving.
    chunks.return?.().catch(() => {});
  }
}

/** Returns the boundary of a multipart form. @throws PlainApiError 400, in Kubo's words, for any other body */
export function boundaryOf({ headers }: Pick<IncomingMessage, 'headers'>, argument: string): Buffer {
  const type = headers['content-type'] ?? '';
  if (!/^\s*multipart\/form-data\s*(;|$)/i.test(type)) {
    throw new PlainApiError(400, `file argument '${argument}' is required`);
  }
  const boundary = /;\s*boundary=(?:"([^"]{1,200})"|([^;\s]{1,200}))/i.exec(type);
  const text = boundary?.[1] ?? boundary?.[2];
  if (text === undefined) throw new PlainApiError(400, 'no multipart boundary param in Content-Type');
  return Buffer.from(text);
}
