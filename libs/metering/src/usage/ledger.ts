// Hot path: every request of both services. Bench: metering.bench.ts.
import { randomUUID } from 'node:crypto';
import { addCounts, latencyIndex, type MutableCounts, minuteMs, type UsageSubject, zeroCounts } from './usage.ts';
import type { KeyUse, StoredBytesSample, UsageDelta, UsageStore } from './usage-store.ts';

export interface LedgerOptions {
  readonly store: UsageStore;
  /** Name of the service, recorded in each row. */
  readonly service: string;
  /** Current time in milliseconds since 1970. Default: `Date.now`. */
  readonly now?: () => number;
  /** Called when a flush fails. The counts are kept for the next flush. */
  readonly onError?: (error: unknown) => void;
}

/** Account and key that a request is counted for. */
export interface UsageOwner {
  readonly accountId: string;
  /** Reference of the key, which is not a credential. */
  readonly key: string;
}

/** Result of one request. */
export interface FinishedRequest {
  readonly operation: string;
  readonly network?: string;
  readonly outcome: 'ok' | 'error' | 'limited';
  readonly credits: number;
  readonly durationMs: number;
}

/** Counts of one operation since the start of the process. */
export type OperationTotal = MutableCounts & { readonly network: string; readonly operation: string };

/** Interval between flushes in milliseconds: a killed process loses the counts of this time. */
const flushMs = 500;

type Rows = Map<string, MutableCounts>;

/** Counts of one key, by network and operation. */
interface KeyRows {
  readonly owner: UsageOwner;
  readonly networks: Map<string, Rows>;
  seenAt: number;
}

interface Batch {
  readonly id: string;
  readonly deltas: readonly UsageDelta[];
  readonly seen: readonly KeyUse[];
  readonly stored: readonly StoredBytesSample[];
}

/** Counts requests in memory and adds the counts to the store twice a second. Sums over several processes are exact. */
export class Ledger {
  readonly #store: UsageStore;
  readonly #service: string;
  readonly #now: () => number;
  readonly #onError: (error: unknown) => void;
  readonly #timer: NodeJS.Timeout;
  #minute: number;
  #keys = new Map<string, KeyRows>();
  #stored = new Map<string, StoredBytesSample>();
  /** Counts since the start of the process, by network and operation. */
  readonly #totals = new Map<string, OperationTotal>();
  /** Batch that the store has not confirmed. */
  #unconfirmed: Batch | undefined;
  /** Counts of past minutes. */
  #pending: UsageDelta[] = [];
  #pendingSeen: KeyUse[] = [];
  #flushing: Promise<void> | undefined;

  constructor({ store, service, now = Date.now, onError = () => {} }: LedgerOptions) {
    this.#store = store;
    this.#service = service;
    this.#now = now;
    this.#onError = onError;
    this.#minute = minuteOf(now());
    this.#timer = setInterval(() => void this.flush().catch(onError), flushMs).unref();
  }

  /** Counts a finished request. */
  record(owner: UsageOwner, { operation, network = '', outcome, credits, durationMs }: FinishedRequest): void {
    const counts = this.#counts(owner, network, operation);
    counts.requests++;
    if (outcome !== 'ok') counts.errors++;
    if (outcome === 'limited') counts.limited++;
    counts.credits += credits;
    counts.durationUs += Math.round(durationMs * 1000);
    const index = latencyIndex(durationMs);
    counts.latency[index] = (counts.latency[index] ?? 0) + 1;
  }

  /** Counts gas, bytes and further credits of a request, without counting the request itself. */
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

  /** Records how many bytes an account stores at this moment. */
  storedBytes(accountId: string, bytes: number): void {
    this.#stored.set(accountId, { accountId, at: this.#now(), bytes });
  }

  #counts(owner: UsageOwner, network: string, operation: string): MutableCounts {
    const now = this.#now();
    // Ends the span at the minute boundary, even if the next flush comes later.
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
      counts = zeroCounts();
      rows.set(operation, counts);
    }
    return counts;
  }

  /** Moves the counts to the pending ones, under the minute in which they were counted. */
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
    const total = this.#totals.get(name) ?? { network, operation, ...zeroCounts() };
    addCounts(total, counts);
    this.#totals.set(name, total);
  }

  /** Returns the counts since the start of the process, by network and operation, for metrics. */
  totals(): Iterable<OperationTotal> {
    this.#endSpan(this.#now());
    return this.#totals.values();
  }

  /** Adds all counts to the store. @throws errors of the store; the counts are kept for the next flush */
  async flush(): Promise<void> {
    while (this.#flushing !== undefined) await this.#flushing.catch(() => {});
    this.#flushing = this.#flushAll();
    try {
      await this.#flushing;
    } finally {
      this.#flushing = undefined;
    }
  }

  async #flushAll(): Promise<void> {
    // Repeated unchanged under its ID: if it was stored already, counts that were added to it would be lost.
    if (this.#unconfirmed !== undefined) await this.#add(this.#unconfirmed);
    this.#endSpan(this.#now());
    const deltas = merged(this.#pending);
    const [seen, stored] = [[...lastSeen(this.#pendingSeen)], [...this.#stored.values()]];
    if (deltas.length + seen.length + stored.length === 0) return;
    [this.#pending, this.#pendingSeen, this.#stored] = [[], [], new Map()];
    await this.#add({ id: randomUUID(), deltas, seen, stored });
  }

  async #add(batch: Batch): Promise<void> {
    this.#unconfirmed = batch;
    await this.#store.add(batch.deltas, batch.seen, batch.stored, batch.id);
    this.#unconfirmed = undefined;
  }

  /** Stops the timer and flushes. The caller closes the store. */
  async close(): Promise<void> {
    clearInterval(this.#timer);
    await this.flush().catch(this.#onError);
  }
}

function minuteOf(time: number): number {
  return time - (time % minuteMs);
}

/** Merges deltas of the same subject and minute, which bounds memory while the store fails. */
function merged(deltas: readonly UsageDelta[]): UsageDelta[] {
  if (deltas.length < 2) return [...deltas];
  const sums = new Map<string, UsageSubject & MutableCounts & { readonly at: number }>();
  for (const delta of deltas) {
    const { accountId, key, service, operation, network, at } = delta;
    const name = [accountId, at, service, operation, network, key].join('\0');
    const known = sums.get(name);
    if (known) addCounts(known, delta);
    else sums.set(name, { ...addCounts(zeroCounts(), delta), accountId, key, service, operation, network, at });
  }
  return [...sums.values()];
}

function lastSeen(seen: readonly KeyUse[]): Iterable<KeyUse> {
  return new Map(seen.map((one) => [`${one.accountId}\0${one.key}`, one])).values();
}
