import { setMaxListeners } from 'node:events';
import { callEnded } from './errors.ts';

interface Shared {
  readonly promise: Promise<unknown>;
  readonly stop: AbortController;
  users: number;
}

/** Coalesces concurrent work with equal keys. The work is aborted when its last user aborts. */
export class SharedCalls {
  readonly #running = new Map<string, Shared>();

  /** @throws the error of `work`, or the reason of `signal` */
  async run<T>(key: string, signal: AbortSignal | undefined, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
    signal?.throwIfAborted();
    if (signal) setMaxListeners(0, signal);
    const shared = this.#running.get(key) ?? this.#start(key, work);
    shared.users += 1;
    let leave: (() => void) | undefined;
    try {
      return (await Promise.race([
        shared.promise,
        new Promise<never>((_, reject) => {
          leave = () => reject(signal?.reason);
          signal?.addEventListener('abort', leave, { once: true });
        }),
      ])) as T;
    } finally {
      if (leave) signal?.removeEventListener('abort', leave);
      shared.users -= 1;
      if (shared.users === 0) {
        shared.stop.abort(callEnded);
        if (this.#running.get(key) === shared) this.#running.delete(key);
      }
    }
  }

  #start(key: string, work: (signal: AbortSignal) => Promise<unknown>): Shared {
    const stop = new AbortController();
    const promise = work(stop.signal);
    const shared = { promise, stop, users: 0 };
    this.#running.set(key, shared);
    const forget = () => {
      if (this.#running.get(key) === shared) this.#running.delete(key);
    };
    promise.then(forget, forget);
    return shared;
  }
}
