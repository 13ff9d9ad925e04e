import type { Delivery, Provider } from '@cairn/block-exchange';
import type { CID } from '@cairn/cid';

interface Waiter {
  readonly resolve: (delivery: Delivery) => void;
  readonly reject: (error: unknown) => void;
}

/** One block that fetches of one session wait for. */
export class Want {
  /** Number on the wire. A want that is requested again gets another one, so that late answers do not match. */
  id = 0;
  isSent = false;
  providers: readonly Provider[];
  readonly #waiters = new Set<Waiter>();

  constructor(
    readonly cid: CID,
    readonly session: number,
    readonly key: string,
    /** True if the peer may store the block instead of sending it. */
    readonly isStored: boolean,
    providers: readonly Provider[],
  ) {
    this.providers = providers;
  }

  get isAbandoned(): boolean {
    return this.#waiters.size === 0;
  }

  /** Waits for the block until `signal` ends. `onLeave` runs when a waiter left before the block arrived. */
  wait(signal: AbortSignal | undefined, onLeave: () => void): Promise<Delivery> {
    return new Promise((resolve, reject) => {
      const onAbort = () => {
        this.#waiters.delete(waiter);
        reject(signal?.reason);
        onLeave();
      };
      const settled = () => signal?.removeEventListener('abort', onAbort);
      const waiter: Waiter = {
        resolve: (delivery) => {
          settled();
          resolve(delivery);
        },
        reject: (error) => {
          settled();
          reject(error);
        },
      };
      this.#waiters.add(waiter);
      signal?.addEventListener('abort', onAbort, { once: true });
    });
  }

  resolve(delivery: Delivery): void {
    for (const waiter of this.#waiters) waiter.resolve(delivery);
    this.#waiters.clear();
  }

  reject(error: unknown): void {
    for (const waiter of this.#waiters) waiter.reject(error);
    this.#waiters.clear();
  }
}
