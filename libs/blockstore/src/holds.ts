import {
  type Database,
  type Environment,
  hasExited,
  type ProcessIdentity,
  processIdentity,
} from '@cairn/embedded-store';
import type { Hold } from './collectable.ts';

/** The record of a process that may have holds open. */
interface HoldRecord {
  readonly holder: ProcessIdentity;
  /** No hold of this process began in an earlier cycle. */
  readonly since: number;
  /** Milliseconds since 1970. */
  readonly renewedAt: number;
}

interface OpenHold {
  readonly owner: number;
  /** The cycle it began in. */
  readonly cycle: number;
}

const renewEveryMs = 10_000;
/** A process out of sight (another container, say) that has not renewed for this long counts as ended. */
const silentMsMax = 60_000;

/**
 * The holds of this process, and the one record by which other processes know of them. The record is written when it is
 * first needed and then stays: taking a hold usually costs no write.
 */
export class Holds {
  readonly #environment: Environment;
  readonly #records: Database;
  readonly #cycle: () => number;
  readonly #now: () => number;
  readonly #identity = processIdentity();
  readonly #key = Buffer.from(this.#identity.token);
  /** Open holds. */
  readonly #open = new Set<OpenHold>();
  /** What the record says, as far as it is written. */
  #since: number | undefined;
  #timer: NodeJS.Timeout | undefined;

  constructor(environment: Environment, cycle: () => number, now: () => number) {
    this.#environment = environment;
    this.#records = environment.database('holds');
    this.#cycle = cycle;
    this.#now = now;
  }

  async take(owner: number): Promise<Hold> {
    const cycle = this.#cycle();
    const hold: OpenHold = { owner, cycle };
    this.#open.add(hold);
    const release = async () => void this.#open.delete(hold);
    try {
      if (this.#since === undefined || this.#since > cycle) await this.#environment.transaction(() => this.#write());
    } catch (error) {
      await release();
      throw error;
    }
    this.#timer ??= setInterval(() => this.#renew(), renewEveryMs).unref();
    return { release };
  }

  /** Inside a transaction: the first cycle that an open hold of any process began in, at most `cycle`, the next one. */
  oldest(cycle: number): number {
    if (this.#since !== undefined || this.#open.size > 0) this.#write(cycle);
    let oldest = cycle;
    for (const { key, value } of [...this.#records.range()]) {
      const record = JSON.parse(Buffer.from(value).toString()) as HoldRecord;
      if (isEnded(record, this.#now())) this.#records.remove(key);
      else oldest = Math.min(oldest, record.since);
    }
    return oldest;
  }

  /**
   * Inside a transaction: the first cycle that an open hold of one owner may have begun in, at most `cycle`. Holds of other
   * processes count for every owner: their records do not name one.
   */
  oldestOf(owner: number, cycle: number): number {
    let oldest = cycle;
    for (const hold of this.#open) if (hold.owner === owner || hold.owner === 0) oldest = Math.min(oldest, hold.cycle);
    for (const { key, value } of [...this.#records.range()]) {
      if (this.#key.equals(key)) continue;
      const record = JSON.parse(Buffer.from(value).toString()) as HoldRecord;
      if (!isEnded(record, this.#now())) oldest = Math.min(oldest, record.since);
    }
    return oldest;
  }

  #write(cycle = this.#cycle()): void {
    // The counts are of this moment, inside the transaction: a cycle that begins next sees every hold taken so far.
    let since = cycle;
    for (const hold of this.#open) since = Math.min(since, hold.cycle);
    const record: HoldRecord = { holder: this.#identity, since, renewedAt: this.#now() };
    this.#records.put(this.#key, Buffer.from(JSON.stringify(record)));
    this.#since = since;
  }

  #renew(): void {
    // A store that takes no writes now has no sweep either; the next renewal tries again.
    this.#environment.transaction(() => this.#write()).catch(() => {});
  }

  async close(): Promise<void> {
    clearInterval(this.#timer);
    if (this.#since === undefined) return;
    await this.#environment.transaction(() => this.#records.remove(this.#key));
  }
}

function isEnded({ holder, renewedAt }: HoldRecord, now: number): boolean {
  return hasExited(holder) || Math.abs(now - renewedAt) > silentMsMax;
}
