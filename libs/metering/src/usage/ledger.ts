// Every request of both services passes here; tools/bench/metering.mjs measures its cost.
import { addCounts, latencyIndex, type MutableCounts, minuteMs, noCounts, type UsageSubject } from './usage.ts';
import type { KeySeen, StoredSeen, UsageDelta, UsageStore } from './usage-store.ts';

export interface LedgerOptions {
  readonly store: UsageStore;
  /** Name of the service that counts. */
  readonly service: string;
  /** Milliseconds since 1970. Default: the clock. */
  readonly now?: () => number;
  /** Told when the store fails; what was counted is kept and told again. */
  readonly onError?: (error: unknown) => void;
}

/** Who a request is counted for. */
export interface UsageOwner {
  readonly accountId: string;
  /** A name for the key that does not open anything. */
  readonly key: string;
}

/** One request that has ended. */
export interface UsedRequest {
  readonly operation: string;
  readonly network?: string;
  readonly outcome: 'ok' | 'error' | 'limited';
  readonly credits: number;
  readonly durationMs: number;
}

/** What one process has counted of an operation. */
export type OperationTotal = MutableCounts & { readonly network: string; readonly operation: string };

/** What a killed process can lose, in milliseconds. */
const flushMs = 500;

type Rows = Map<string, MutableCounts>;

/** Counts of one key, by network and operation. */
interface KeyRows {
  readonly owner: UsageOwner;
  readonly networks: Map<string, Rows>;
  seenAt: number;
}

/** Counts requests in memory and adds them to the store twice a second: exact, however many processes do so. */
export class Ledger {
  readonly #store: UsageStore;
  readonly #service: string;
  readonly #now: () => number;
  readonly #onError: (error: unknown) => void;
  readonly #timer: NodeJS.Timeout;
  #minute: number;
  #keys = new Map<string, KeyRows>();
  #stored = new Map<string, StoredSeen>();
  /** Since the start, by network and operation. */
  readonly #totals = new Map<string, OperationTotal>();
  /** Of minutes that are over, and what the store could not take. */
  #pending: UsageDelta[] = [];
  #pendingSeen: KeySeen[] = [];
  #flushing: Promise<void> | undefined;

  constructor({ store, service, now = Date.now, onError = () => {} }: LedgerOptions) {
    this.#store = store;
    this.#service = service;
    this.#now = now;
    this.#onError = onError;
    this.#minute = minuteOf(now());
    this.#timer = setInterval(() => void this.flush().catch(onError), flushMs).unref();
  }

  /** Counts a request that has ended. */
  record(owner: UsageOwner, { operation, network = '', outcome, credits, durationMs }: UsedRequest): void {
    const counts = this.#counts(owner, network, operation);
    counts.requests++;
    if (outcome !== 'ok') counts.errors++;
    if (outcome === 'limited') counts.limited++;
    counts.credits += credits;
    counts.durationUs += Math.round(durationMs * 1000);
    const index = latencyIndex(durationMs);
    counts.latency[index] = (counts.latency[index] ?? 0) + 1;
  }

  /** Counts what a request has used beside its price. */
  addUse(
    owner: UsageOwner,
    {
      operation,
      network = '',
      credits = 0,
      gas = 0,
      bytesIn = 0,
      bytesOut = 0,
    }: {
      readonly operation: string;
      readonly network?: string;
      readonly credits?: number;
      readonly gas?: number;
      readonly bytesIn?: number;
      readonly bytesOut?: number;
    },
  ): void {
    const counts = this.#counts(owner, network, operation);
    counts.credits += credits;
    counts.gas += gas;
    counts.bytesIn += bytesIn;
    counts.bytesOut += bytesOut;
  }

  /** Notes how much an account holds in storage now. */
  storedBytes(accountId: string, bytes: number): void {
    this.#stored.set(accountId, { accountId, at: this.#now(), bytes });
  }

  #counts(owner: UsageOwner, network: string, operation: string): MutableCounts {
    const now = this.#now();
    // A span ends with its minute, also where the next request comes before the next flush.
    if (now - this.#minute >= minuteMs || now < this.#minute) this.#endSpan(now);
    let key = this.#keys.get(owner.key);
    if (key?.owner.accountId !== owner.accountId) {
      if (key !== undefined) this.#endSpan(now);
      key = { owner: { ...owner }, networks: new Map(), seenAt: now };
      this.#keys.set(owner.key, key);
    }
    key.seenAt = now;
    let rows = key.networks.get(network);
    if (rows === undefined) {
      rows = new Map();
      key.networks.set(network, rows);
    }
    let counts = rows.get(operation);
    if (counts === undefined) {
      counts = noCounts();
      rows.set(operation, counts);
    }
    return counts;
  }

  /** Puts what was counted aside, as counts of the minute that it was counted in. */
  #endSpan(now: number): void {
    for (const { owner, networks, seenAt } of this.#keys.values()) {
      this.#pendingSeen.push({ ...owner, at: seenAt });
      for (const [network, rows] of networks) {
        for (const [operation, counts] of rows) {
          const subject: UsageSubject = { ...owner, service: this.#service, operation, network };
          this.#pending.push({ ...subject, at: this.#minute, ...counts });
          this.#addTotal(network, operation, counts);
        }
      }
    }
    this.#keys = new Map();
    this.#minute = minuteOf(now);
  }

  #addTotal(network: string, operation: string, counts: MutableCounts): void {
    const name = `${network}\0${operation}`;
    const total = this.#totals.get(name) ?? { network, operation, ...noCounts() };
    addCounts(total, counts);
    this.#totals.set(name, total);
  }

  /** What this process has counted since it started, by network and operation: for metrics. */
  totals(): Iterable<OperationTotal> {
    this.#endSpan(this.#now());
    return this.#totals.values();
  }

  /** Adds what was counted up to now to the store. @throws what the store does; nothing is lost */
  async flush(): Promise<void> {
    if (this.#flushing !== undefined) await this.#flushing.catch(() => {});
    this.#endSpan(this.#now());
    const [deltas, seen, stored] = [merged(this.#pending), this.#pendingSeen, this.#stored];
    if (deltas.length + seen.length + stored.size === 0) return;
    [this.#pending, this.#pendingSeen, this.#stored] = [[], [], new Map()];
    this.#flushing = this.#store.add(deltas, seen, [...stored.values()]);
    try {
      await this.#flushing;
    } catch (error) {
      this.#pending = [...deltas, ...this.#pending];
      this.#pendingSeen = [...lastSeen([...seen, ...this.#pendingSeen])];
      this.#stored = new Map([...stored, ...this.#stored]);
      throw error;
    } finally {
      this.#flushing = undefined;
    }
  }

  /** Tells what is left. The store is its owner's to close. */
  async close(): Promise<void> {
    clearInterval(this.#timer);
    await this.flush().catch(this.#onError);
  }
}

function minuteOf(time: number): number {
  return time - (time % minuteMs);
}

/** One delta for each subject and minute: a store that fails for long must not fill the memory. */
function merged(deltas: readonly UsageDelta[]): UsageDelta[] {
  if (deltas.length < 2) return [...deltas];
  const sums = new Map<string, UsageSubject & MutableCounts & { readonly at: number }>();
  for (const delta of deltas) {
    const { accountId, key, service, operation, network, at } = delta;
    const name = [accountId, at, service, operation, network, key].join('\0');
    const known = sums.get(name);
    if (known) addCounts(known, delta);
    else sums.set(name, { ...addCounts(noCounts(), delta), accountId, key, service, operation, network, at });
  }
  return [...sums.values()];
}

function lastSeen(seen: readonly KeySeen[]): Iterable<KeySeen> {
  return new Map(seen.map((one) => [`${one.accountId}\0${one.key}`, one])).values();
}
