import { type Database, type Environment, isGone, type ProcessIdentity, processIdentity } from '@cairn/embedded-store';
import type { Hold } from './collectable.ts';

/** The record of a process that may have holds open. */
interface HoldRecord {
  readonly holder: ProcessIdentity;
  /** No hold of this process began in an earlier cycle. */
  readonly since: number;
  /** Milliseconds since 1970. */
  readonly renewedAt: number;
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
  /** Number of open holds by the cycle they began in. */
  readonly #open = new Map<number, number>();
  /** What the record says, as far as it is written. */
  #since: number | undefined;
  #timer: NodeJS.Timeout | undefined;

  constructor(environment: Environment, cycle: () => number, now: () => number) {
    this.#environment = environment;
    this.#records = environment.database('holds');
    this.#cycle = cycle;
    this.#now = now;
  }

  async take(): Promise<Hold> {
    const cycle = this.#cycle();
    this.#open.set(cycle, (this.#open.get(cycle) ?? 0) + 1);
    let isOpen = true;
    const release = async () => {
      if (!isOpen) return;
      isOpen = false;
      const left = (this.#open.get(cycle) ?? 0) - 1;
      if (left > 0) this.#open.set(cycle, left);
      else this.#open.delete(cycle);
    };
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
      if (isGone(record.holder) || Math.abs(this.#now() - record.renewedAt) > silentMsMax) this.#records.remove(key);
      else oldest = Math.min(oldest, record.since);
    }
    return oldest;
  }

  #write(cycle = this.#cycle()): void {
    // The counts are of this moment, inside the transaction: a cycle that begins next sees every hold taken so far.
    const since = Math.min(cycle, ...this.#open.keys());
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
