import { timeLimit } from '@cairn/platform';
import { ApiError } from '../api-error.ts';

/** Time limit of one request to the network, and the signal of the request of the client. */
export interface CallBounds {
  readonly signal: AbortSignal;
  readonly msMax: number;
}

/** Runs a call that ends with the request of the client or at the time limit. @throws ApiError 500 at the limit */
export async function withinBounds<T>(
  { signal, msMax }: CallBounds,
  call: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const limit = timeLimit(msMax);
  const both = AbortSignal.any([signal, limit]);
  try {
    return await orAborted(call(both), both);
  } catch (error) {
    signal.throwIfAborted();
    if (limit.aborted) throw new ApiError(500, 'context deadline exceeded');
    throw error;
  }
}

/** Yields the items of a search. It ends with the request of the client (with its reason), or silently at the time limit. */
export async function* searchWithinBounds<T>(
  { signal, msMax }: CallBounds,
  open: (signal: AbortSignal) => AsyncIterable<T>,
): AsyncGenerator<T> {
  const limit = timeLimit(msMax);
  const both = AbortSignal.any([signal, limit]);
  const iterator = open(both)[Symbol.asyncIterator]();
  try {
    while (true) {
      const next = await orAborted(iterator.next(), both);
      if (next.done) return;
      yield next.value;
    }
  } catch (error) {
    signal.throwIfAborted();
    if (!limit.aborted) throw error;
  } finally {
    // Not awaited: a source that ignores the signal would delay the end.
    iterator.return?.().catch(() => {});
  }
}

/** Rejects when the signal aborts, also where the work ignores it. */
async function orAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  let stop = () => {};
  const aborted = new Promise<never>((_, reject) => {
    stop = () => reject(signal.reason);
    if (signal.aborted) stop();
    else signal.addEventListener('abort', stop, { once: true });
  });
  try {
    return await Promise.race([work, aborted]);
  } finally {
    signal.removeEventListener('abort', stop);
    work.catch(() => {});
  }
}
