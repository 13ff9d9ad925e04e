import { AuthError } from './errors.ts';

export interface FailureGateOptions {
  /** Failures per key and address without a pause. Default 10: people mistype, and clients may start before their key exists. */
  readonly freeFailures?: number;
  /** Maximum pause in milliseconds. Default: one minute. */
  readonly pauseMsMax?: number;
  /** Current time in milliseconds. Default: the monotonic clock. */
  readonly now?: () => number;
  /** Called with each change of the counters, for gates of other processes. See {@link FailureGate.apply}. */
  readonly onChange?: (change: FailureChange) => void;
}

/** Change of the counters of one gate, which others apply. */
export interface FailureChange {
  readonly kind: 'failed' | 'withdrawn' | 'succeeded';
  readonly keyId: string;
  readonly address: string | undefined;
}

interface FailureCounter {
  count: number;
  /** Attempts before this time are refused without a check. */
  pausedUntil: number;
  /** The counter is void after this time. */
  expiresAt: number;
}

/** Maximum number of counters. Beyond it the oldest are dropped. */
const countersMax = 10_000;
/** Lifetime of a counter after a pause, in milliseconds. */
const memoryMs = 10 * 60_000;
/** Characters of a key id that count. */
const keyCharactersMax = 128;
/** Free failures of an address, as a multiple of those of one key. */
const keysPerAddress = 10;

/**
 * Slows down guessing of keys and secrets, per key and address and per address. After the free failures, each further one
 * doubles a pause in which attempts are refused without a check. Other clients are not affected. Behind a proxy all clients
 * share one address; there, keys that succeeded before are exempt from the pause of the address.
 */
export class FailureGate {
  readonly #freeFailures: number;
  readonly #pauseMsMax: number;
  readonly #now: () => number;
  readonly #onChange: (change: FailureChange) => void;
  readonly #counters = new Map<string, FailureCounter>();
  /** Keys and addresses that succeeded before. */
  readonly #succeeded = new Set<string>();

  constructor({
    freeFailures = 10,
    pauseMsMax = 60_000,
    now = () => performance.now(),
    onChange = () => {},
  }: FailureGateOptions = {}) {
    this.#freeFailures = freeFailures;
    this.#pauseMsMax = pauseMsMax;
    this.#now = now;
    this.#onChange = onChange;
  }

  /** Refuses an attempt during a pause. @throws ATTEMPTS_PAUSED with `retryAfterSeconds` in its details */
  check(keyId: string, address: string | undefined): void {
    const now = this.#now();
    for (const { name, weight } of countersOf(keyId, address)) {
      const until = this.#counters.get(name)?.pausedUntil ?? 0;
      if (until <= now || (weight > 1 && this.#succeeded.has(keyAndAddress(keyId, address)))) continue;
      throw attemptsPaused(Math.ceil((until - now) / 1000));
    }
  }

  /** Counts a failed attempt. */
  recordFailure(keyId: string, address: string | undefined): void {
    this.#fail(keyId, address);
    this.#onChange({ kind: 'failed', keyId: keyId.slice(0, keyCharactersMax), address });
  }

  /** Applies a change of the gate of another process. */
  apply({ kind, keyId, address }: FailureChange): void {
    if (kind === 'failed') this.#fail(keyId, address);
    else if (kind === 'withdrawn') this.#withdraw(keyId, address);
    else this.#clear(keyId, address);
  }

  #fail(keyId: string, address: string | undefined): void {
    const now = this.#now();
    for (const { name, weight } of countersOf(keyId, address)) {
      const known = this.#counters.get(name);
      const count = (known !== undefined && known.expiresAt > now ? known.count : 0) + 1;
      const pauseMs = this.#pauseMs(count, weight);
      this.#counters.delete(name);
      this.#counters.set(name, { count, pausedUntil: now + pauseMs, expiresAt: now + pauseMs + memoryMs });
      for (const oldest of this.#counters.keys()) {
        if (this.#counters.size <= countersMax) break;
        this.#counters.delete(oldest);
      }
    }
  }

  /** Uncounts an attempt that was counted as failed before its outcome was known. */
  withdrawFailure(keyId: string, address: string | undefined): void {
    this.#withdraw(keyId, address);
    this.#onChange({ kind: 'withdrawn', keyId: keyId.slice(0, keyCharactersMax), address });
  }

  #withdraw(keyId: string, address: string | undefined): void {
    for (const { name, weight } of countersOf(keyId, address)) {
      const known = this.#counters.get(name);
      if (known === undefined) continue;
      known.count--;
      if (known.count <= 0) this.#counters.delete(name);
      else if (this.#pauseMs(known.count, weight) === 0) known.pausedUntil = 0;
    }
  }

  #pauseMs(count: number, weight: number): number {
    const over = count - this.#freeFailures * weight;
    return over <= 0 ? 0 : Math.min(this.#pauseMsMax, 1000 * 2 ** Math.min(over - 1, 16));
  }

  /** Records a successful attempt and clears the failures of this key and address. */
  recordSuccess(keyId: string, address: string | undefined): void {
    if (this.#succeeded.size >= countersMax) this.#succeeded.clear();
    this.#succeeded.add(keyAndAddress(keyId, address));
    if (this.#counters.size > 0 && this.#clear(keyId, address)) this.#onChange({ kind: 'succeeded', keyId, address });
  }

  /** Clears the failures of a key and address. Returns false if there were none. */
  #clear(keyId: string, address: string | undefined): boolean {
    return countersOf(keyId, address).some(({ name, weight }) => weight === 1 && this.#counters.delete(name));
  }
}

function keyAndAddress(keyId: string, address = 'unknown'): string {
  return `${address} ${keyId}`;
}

function countersOf(keyId: string, address = 'unknown') {
  return [
    // Bounds memory: a made-up key id can have any length.
    { name: `${address} ${keyId.slice(0, keyCharactersMax)}`, weight: 1 },
    { name: address, weight: keysPerAddress },
  ];
}

/** Creates the error for an attempt during a pause. */
export function attemptsPaused(retryAfterSeconds: number): AuthError {
  return new AuthError('ATTEMPTS_PAUSED', 'Too many attempts with wrong credentials from this address.', {
    hint: `Correct the credentials and try again in ${retryAfterSeconds} s.`,
    details: { retryAfterSeconds },
  });
}
