import { AuthError } from './errors.ts';

export interface FailureGateOptions {
  /** Failures of one kind that cost nothing. Default 10: people mistype, and deployments start before their keys. */
  readonly freeFailures?: number;
  /** Longest pause, in milliseconds. Default one minute. */
  readonly pauseMsMax?: number;
  /** Milliseconds. Default: the monotonic clock. */
  readonly now?: () => number;
}

interface Failures {
  count: number;
  /** Until when attempts are refused unseen. */
  until: number;
  /** When they are forgotten. */
  forgetAt: number;
}

/** Kinds that are remembered; at the bound the oldest are forgotten. */
const kindsMax = 10_000;
/** Failures that are further apart do not add up. */
const memoryMs = 10 * 60_000;
/** One address may try so many keys as often as one key. */
const keysPerAddress = 10;

/**
 * Slows down whoever tries keys or secrets: per key and address, and per address. After some failures each further one
 * doubles a pause in which attempts are refused unseen. Nobody else's attempts are slowed by it; behind a proxy, where all
 * clients have one address, keys that were right before are not.
 */
export class FailureGate {
  readonly #freeFailures: number;
  readonly #pauseMsMax: number;
  readonly #now: () => number;
  readonly #kinds = new Map<string, Failures>();
  /** Keys that were right, with their addresses. */
  readonly #good = new Set<string>();

  constructor({ freeFailures = 10, pauseMsMax = 60_000, now = () => performance.now() }: FailureGateOptions = {}) {
    this.#freeFailures = freeFailures;
    this.#pauseMsMax = pauseMsMax;
    this.#now = now;
  }

  /** @throws ATTEMPTS_PAUSED with `retryAfterSeconds` in its details */
  check(keyId: string, address: string | undefined): void {
    const now = this.#now();
    for (const { name, weight } of kindsOf(keyId, address)) {
      const until = this.#kinds.get(name)?.until ?? 0;
      if (until <= now || (weight > 1 && this.#good.has(goodName(keyId, address)))) continue;
      throw attemptsPaused(Math.ceil((until - now) / 1000));
    }
  }

  /** An attempt has failed. */
  failed(keyId: string, address: string | undefined): void {
    const now = this.#now();
    for (const { name, weight } of kindsOf(keyId, address)) {
      const known = this.#kinds.get(name);
      const count = (known !== undefined && known.forgetAt > now ? known.count : 0) + 1;
      const pauseMs = this.#pauseMs(count, weight);
      this.#kinds.delete(name);
      this.#kinds.set(name, { count, until: now + pauseMs, forgetAt: now + pauseMs + memoryMs });
      for (const oldest of this.#kinds.keys()) {
        if (this.#kinds.size <= kindsMax) break;
        this.#kinds.delete(oldest);
      }
    }
  }

  /** An attempt that was counted as failed before its outcome was known does not count. */
  withdrawn(keyId: string, address: string | undefined): void {
    for (const { name, weight } of kindsOf(keyId, address)) {
      const known = this.#kinds.get(name);
      if (known === undefined) continue;
      known.count--;
      if (known.count <= 0) this.#kinds.delete(name);
      else if (this.#pauseMs(known.count, weight) === 0) known.until = 0;
    }
  }

  #pauseMs(count: number, weight: number): number {
    const over = count - this.#freeFailures * weight;
    return over <= 0 ? 0 : Math.min(this.#pauseMsMax, 1000 * 2 ** Math.min(over - 1, 16));
  }

  /** An attempt was right: what failed with this key from there before is forgotten. */
  succeeded(keyId: string, address: string | undefined): void {
    if (this.#good.size >= kindsMax) this.#good.clear();
    this.#good.add(goodName(keyId, address));
    if (this.#kinds.size === 0) return;
    for (const { name, weight } of kindsOf(keyId, address)) if (weight === 1) this.#kinds.delete(name);
  }
}

function goodName(keyId: string, address = 'unknown'): string {
  return `${address} ${keyId}`;
}

function kindsOf(keyId: string, address = 'unknown') {
  return [
    // A key that somebody makes up may be long.
    { name: `${address} ${keyId.slice(0, 128)}`, weight: 1 },
    { name: address, weight: keysPerAddress },
  ];
}

/** The refusal of an attempt that has to wait. */
export function attemptsPaused(retryAfterSeconds: number): AuthError {
  return new AuthError('ATTEMPTS_PAUSED', 'Too many attempts with wrong credentials have come from this address.', {
    hint: `Correct them, and try again in ${retryAfterSeconds} s.`,
    details: { retryAfterSeconds },
  });
}
