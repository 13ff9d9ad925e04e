import { BitswapError } from './errors.ts';
import type { BitswapLimits } from './limits.ts';
import type { BitswapTransport, OutgoingStream, Target } from './transport.ts';

/** Sends messages to one peer over one stream, which is opened on demand. One call at a time. */
export class MessageSender {
  readonly #transport: BitswapTransport;
  readonly #limits: BitswapLimits;
  #stream: OutgoingStream | undefined;
  #abort = new AbortController();

  constructor(transport: BitswapTransport, limits: BitswapLimits) {
    this.#transport = transport;
    this.#limits = limits;
  }

  /** Resolves when the transport accepts more. @throws BITSWAP_STREAM_FAILED; the next call opens a new stream */
  async send(target: Target, parts: readonly Uint8Array[]): Promise<void> {
    const abort = this.#abort;
    const timer = setTimeout(() => this.#fail(abort, 'it accepted no bytes in time'), this.#limits.sendMs);
    try {
      this.#stream ??= await this.#open(target, abort.signal);
      await untilAborted(this.#stream.send(parts, { signal: abort.signal }), abort.signal);
    } catch (error) {
      this.#fail(abort, 'the transport failed');
      throw new BitswapError('BITSWAP_STREAM_FAILED', `The stream to peer ${target.peer} failed.`, { cause: error });
    } finally {
      clearTimeout(timer);
    }
  }

  /** Ends the stream and the send in progress. */
  abort(reason: string): void {
    this.#fail(this.#abort, reason);
  }

  async #open(target: Target, signal: AbortSignal): Promise<OutgoingStream> {
    const timer = setTimeout(() => this.#fail(this.#abort, 'it opened no stream in time'), this.#limits.openMs);
    const opening = this.#transport.openStream(target, { signal });
    try {
      return await untilAborted(opening, signal);
    } catch (error) {
      opening.then((stream) => stream.abort(new Error('the stream opened too late'))).catch(() => {});
      throw error;
    } finally {
      clearTimeout(timer);
    }
  }

  #fail(abort: AbortController, reason: string): void {
    if (abort !== this.#abort) return;
    const stream = this.#stream;
    this.#stream = undefined;
    this.#abort = new AbortController();
    const error = new Error(reason);
    abort.abort(error);
    stream?.abort(error);
  }
}

/** Rejects when the signal aborts, also if the transport ignores the signal. */
function untilAborted<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const onAbort = () => reject(signal.reason);
    if (signal.aborted) onAbort();
    signal.addEventListener('abort', onAbort, { once: true });
    promise.then(resolve, reject).finally(() => signal.removeEventListener('abort', onAbort));
  });
}
