// Hot path: each request acquires and releases a permit here. Bench: metering.bench.ts.
import type { LimitStore } from './limit-store.ts';

/** Lifetime of held permits without renewal, in milliseconds: those of a killed process become free after it. */
const ttlMs = 6000;
/** Share of the limit that a process requests in addition to the permits in use. */
const lotShare = 1 / 10;
/** Interval in milliseconds after a refusal in which the store is not asked again. */
const refusalMs = 100;

/** Permits of a concurrency limit that processes share. This process holds a part of the permits and uses some of them. */
export class ConcurrencyPermits {
  readonly #store: LimitStore;
  readonly #key: string;
  readonly #limit: number;
  readonly #holder: string;
  readonly #now: () => number;
  readonly #recall: (() => Promise<void>) | undefined;
  #held = 0;
  #heldUntil = 0;
  #inUse = 0;
  #peak = 0;
  #others = 0;
  #refusedUntil = 0;
  #asking: Promise<void> | undefined;

  /** @param recall asks other processes to return permits that they do not use; absent where none can be asked */
  constructor(
    store: LimitStore,
    key: string,
    limit: number,
    holder: string,
    now: () => number,
    recall?: () => Promise<void>,
  ) {
    this.#store = store;
    this.#key = key;
    this.#limit = limit;
    this.#holder = holder;
    this.#now = now;
    this.#recall = recall;
  }

  get allowed(): number {
    return this.#limit;
  }

  get isIdle(): boolean {
    return this.#inUse === 0 && this.#held === 0;
  }

  /** Permits held by other processes plus those in use here, according to the last answer of the store. */
  get used(): number {
    return Math.min(this.#limit, this.#inUse + this.#others);
  }

  /** Acquires a permit that this process already holds. Returns false if none is free. */
  tryAcquire(): boolean {
    if (this.#inUse >= this.#held || this.#now() >= this.#heldUntil) return false;
    this.#inUse++;
    this.#peak = Math.max(this.#peak, this.#inUse);
    return true;
  }

  /** Acquires a permit, asking the store if needed. Returns false if the limit is reached. */
  async acquire(): Promise<boolean> {
    let hasRecalled = this.#recall === undefined;
    while (!this.tryAcquire()) {
      if (this.#asking !== undefined) {
        await this.#asking;
        continue;
      }
      const now = this.#now();
      // The lower bound ignores a refusal from before the clock was set back.
      if (now < this.#refusedUntil && now >= this.#refusedUntil - refusalMs) return false;
      const needed = this.#inUse + 1;
      const held = await this.#ask(needed);
      // A concurrent request may have acquired the new permit, or a renewal returned it: then the loop asks again.
      if (held >= needed) continue;
      if (!hasRecalled) {
        hasRecalled = true;
        await this.#recall?.();
        continue;
      }
      this.#refusedUntil = this.#now() + refusalMs;
      return false;
    }
    return true;
  }

  /** Releases a permit. It stays with this process until a renewal returns it to the store. */
  release(): void {
    this.#inUse--;
  }

  /** Returns the permits that are not in use to the store. */
  async returnUnused(): Promise<void> {
    while (this.#asking !== undefined) await this.#asking;
    if (this.#held <= this.#inUse) return;
    this.#peak = this.#inUse;
    this.#held = this.#inUse;
    await this.#ask(this.#inUse, this.#inUse);
  }

  /** Renews the permits in use and returns those not needed since the last call. Called about once a second. */
  async renew({ isClosing = false } = {}): Promise<void> {
    while (this.#asking !== undefined) await this.#asking;
    const needed = isClosing ? 0 : Math.max(this.#inUse, this.#peak);
    this.#peak = this.#inUse;
    if (needed === 0 && this.#held === 0) return;
    // Prevents acquiring a permit that is being returned.
    this.#held = Math.min(this.#held, needed);
    await this.#ask(needed, needed);
  }

  /** Asks the store for permits and resolves with the number held afterwards. Callers make sure that one call runs at a time. */
  async #ask(min: number, want = min + Math.ceil(this.#limit * lotShare)): Promise<number> {
    let resolve = () => {};
    this.#asking = new Promise<void>((done) => {
      resolve = done;
    });
    const now = this.#now();
    try {
      const request = { key: this.#key, holder: this.#holder, min, want, limit: this.#limit, ttlMs };
      const { held, others } = await this.#store.hold(request);
      this.#held = held;
      this.#others = others;
      // Expires here half a second before it expires in the store.
      this.#heldUntil = now + ttlMs - 500;
      return held;
    } finally {
      this.#asking = undefined;
      resolve();
    }
  }
}
