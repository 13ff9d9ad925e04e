import { timeLimit } from '@cairn/platform';
import { createIpnsRecord } from './create-record.ts';
import { routingKeyOf } from './ipns-name.ts';
import type { IpnsKey } from './private-key.ts';
import type { NameRecords, StoredRecord } from './store/name-store.ts';

export interface NameRepublisherOptions {
  readonly records: NameRecords;
  /** Opens the key of a name of an account; undefined if the account has removed it. */
  readonly openKey: (account: string, record: StoredRecord) => Promise<IpnsKey | undefined>;
  /** Puts a record to the network. Absent: records are kept valid here only. */
  readonly putToNetwork?: ((key: Uint8Array, value: Uint8Array, signal: AbortSignal) => Promise<void>) | undefined;
  /** Called with failures of single records; the schedule repeats them. */
  readonly onError?: (error: unknown) => void;
  readonly now?: () => number;
}

const minuteMs = 60_000;
/** Times of the schedule in milliseconds. */
const times = {
  /** Time between two looks at the schedule: a new record is put to the network within it. */
  pollMs: 1000,
  /** Time between two puts of one record, as in Kubo (Ipns.RepublishPeriod). */
  repeatMs: 4 * 60 * minuteMs,
  /** Time after which a put that failed, or whose process died, is repeated. */
  retryMs: 2 * minuteMs,
  /** Time that one put may take. */
  putMs: minuteMs,
  /** Shortest lifetime of records that are signed again: shorter ones expire as their publisher asked. */
  renewedLifetimeMsMin: 10 * minuteMs,
} as const;

/** Records of one round, and puts that run concurrently. */
const roundMax = 64;
const concurrentMax = 8;
/** Expired records that one round removes. */
const expiredMax = 256;

/**
 * Puts records to the network, repeats this every 4 hours, signs them again before they expire, and removes expired ones. The
 * schedule is in the store: it survives a restart, and processes that share the store take different records.
 */
export class NameRepublisher {
  readonly counts = { announced: 0, failed: 0, renewed: 0 };
  readonly #options: NameRepublisherOptions;
  readonly #now: () => number;
  readonly #ended = new AbortController();
  #timer: NodeJS.Timeout | undefined;
  #round: Promise<void> = Promise.resolve();

  constructor(options: NameRepublisherOptions) {
    this.#options = options;
    this.#now = options.now ?? Date.now;
  }

  start(): void {
    this.#timer = setTimeout(() => {
      this.#round = this.runOnce()
        .catch((error: unknown) => this.#options.onError?.(error))
        .then(() => {
          if (!this.#ended.signal.aborted) this.start();
        });
    }, times.pollMs);
    this.#timer.unref();
  }

  /** Ends running puts. Their records stay in the schedule. */
  async stop(): Promise<void> {
    this.#ended.abort(new Error('the service stops'));
    clearTimeout(this.#timer);
    await this.#round;
  }

  /** Handles due records, and removes expired ones. Resolves when they are settled. */
  async runOnce(): Promise<void> {
    const { records } = this.#options;
    const nowMs = this.#now();
    await records.removeExpired(nowMs, expiredMax);
    const due = await records.takeDue({ nowMs, retryMs: nowMs + times.retryMs, max: roundMax });
    const waiting = due.values();
    const work = async () => {
      for (const record of waiting) {
        if (this.#ended.signal.aborted) return;
        await this.#handle(record).catch((error: unknown) => {
          this.counts.failed++;
          this.#options.onError?.(error);
        });
      }
    };
    await Promise.all(Array.from({ length: concurrentMax }, work));
  }

  /** Time since the oldest of the last puts of repeated records, in seconds; undefined without any. */
  async oldestSeconds(): Promise<number | undefined> {
    const at = await this.#options.records.oldestAnnouncedMs();
    return at === undefined ? undefined : Math.max(0, (this.#now() - at) / 1000);
  }

  async #handle(record: StoredRecord): Promise<void> {
    const { records, putToNetwork } = this.#options;
    const current = await this.#renewed(record);
    if (putToNetwork !== undefined) {
      const signal = AbortSignal.any([this.#ended.signal, timeLimit(times.putMs)]);
      await putToNetwork(routingKeyOf(current.name), current.bytes, signal);
      this.counts.announced++;
    }
    const nowMs = this.#now();
    await records.settle(current, {
      ...(putToNetwork !== undefined && { announcedMs: nowMs }),
      ...(current.owner !== undefined && { nextMs: nowMs + repeatAfter(current) }),
    });
  }

  /** Signs a record again if less than half of its lifetime is left. */
  async #renewed(record: StoredRecord): Promise<StoredRecord> {
    const { records, openKey } = this.#options;
    const { account, owner, name, fields } = record;
    if (owner === undefined || owner.lifetimeMs < times.renewedLifetimeMsMin) return record;
    const nowMs = this.#now();
    if (fields.validUntilMs - nowMs > owner.lifetimeMs / 2) return record;
    const key = await openKey(account, record);
    if (key === undefined) return withoutOwner(record);
    const { value, sequence, ttlNs } = fields;
    const validUntilMs = nowMs + owner.lifetimeMs;
    const bytes = createIpnsRecord(key, { value, sequence, validUntilMs, ttlNs, hasV1: owner.hasV1 });
    const outcome = await records.put(name, bytes, { account, owner, expected: { sequence } });
    if (outcome === 'stored') this.counts.renewed++;
    // A record that was published meanwhile is due by itself.
    return outcome === 'stored' ? { ...record, bytes } : record;
  }
}

function withoutOwner({ owner: _, ...record }: StoredRecord): StoredRecord {
  return record;
}

/** Records with a short lifetime are looked at before less than half of it is left. */
function repeatAfter({ owner }: StoredRecord): number {
  return Math.max(times.pollMs, Math.min(times.repeatMs, (owner?.lifetimeMs ?? times.repeatMs) / 4));
}
