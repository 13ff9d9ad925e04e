import type { LimitStore } from './limit-store.ts';

/** ConcurrencyPermits of a process that was killed are free again after this long, in milliseconds. */
const ttlMs = 6000;
/** Share of the limit that a process holds beyond what it uses, where there is room. */
const lotShare = 1 / 10;
/** A process that refused somebody asks again after this long. */
const refusalMs = 100;

/** Places that processes share, such as requests at once: some are held here, of which some are in use. */
export class ConcurrencyPermits {
  readonly #store: LimitStore;
  readonly #key: string;
  readonly #limit: number;
  readonly #holder: string;
  readonly #now: () => number;
  #held = 0;
  #heldUntil = 0;
  #inUse = 0;
  #peak = 0;
  #others = 0;
  #refusedUntil = 0;
  #asking: Promise<void> | undefined;

  constructor(store: LimitStore, key: string, limit: number, holder: string, now: () => number) {
    this.#store = store;
    this.#key = key;
    this.#limit = limit;
    this.#holder = holder;
    this.#now = now;
  }

  get allowed(): number {
    return this.#limit;
  }

  get isIdle(): boolean {
    return this.#inUse === 0 && this.#held === 0;
  }

  /** In use by all processes, as far as this one knows. */
  get used(): number {
    return Math.min(this.#limit, this.#inUse + this.#others);
  }

  /** Takes a place that is held already; false where there is none. */
  tryEnter(): boolean {
    if (this.#inUse >= this.#held || this.#now() >= this.#heldUntil) return false;
    this.#inUse++;
    this.#peak = Math.max(this.#peak, this.#inUse);
    return true;
  }

  /** Takes a place; false where the limit is reached. */
  async enter(): Promise<boolean> {
    while (!this.tryEnter()) {
      if (this.#asking !== undefined) {
        await this.#asking;
        continue;
      }
      const now = this.#now();
      // Not where the clock was set back since.
      if (now < this.#refusedUntil && now >= this.#refusedUntil - refusalMs) return false;
      const needed = this.#inUse + 1;
      const given = await this.#ask(needed);
      // Where it was given, another request may have taken it meanwhile, or a renewal given it back: it is asked for again.
      if (given >= needed) continue;
      this.#refusedUntil = this.#now() + refusalMs;
      return false;
    }
    return true;
  }

  leave(): void {
    this.#inUse--;
  }

  /** Keeps what is in use, and gives back what was not needed lately. Called about once a second. */
  async renew({ isClosing = false } = {}): Promise<void> {
    while (this.#asking !== undefined) await this.#asking;
    const needed = isClosing ? 0 : Math.max(this.#inUse, this.#peak);
    this.#peak = this.#inUse;
    if (needed === 0 && this.#held === 0) return;
    // Places that are being given back are not taken any more.
    this.#held = Math.min(this.#held, needed);
    await this.#ask(needed, needed);
  }

  /** Resolves with what the store then holds for this process. One at a time. */
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
      // A little earlier than the store forgets it.
      this.#heldUntil = now + ttlMs - 500;
      return held;
    } finally {
      this.#asking = undefined;
      resolve();
    }
  }
}
