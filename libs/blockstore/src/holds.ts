import {
  type Database,
  type Environment,
  hasExited,
  isObservable,
  type ProcessIdentity,
  processIdentity,
} from '@cairn/embedded-store';
import type { Hold } from './collectable.ts';
import { HoldLostError } from './errors.ts';

/** The stored record of a process that may have open holds. */
interface HoldRecord {
  readonly holder: ProcessIdentity;
  /** Cycle in which the oldest hold of the process began, at the earliest. */
  readonly since: number;
  /** Milliseconds since 1970. */
  readonly renewedAt: number;
}

interface OpenHold {
  readonly owner: number;
  /** Cycle in which the hold began. */
  readonly cycle: number;
  /** True after another process has regarded this one as ended. */
  isLost: boolean;
}

const renewEveryMs = 10_000;
/** A process that cannot be observed, such as one in another container, counts as ended after this time without renewal. */
const silentMsMax = 60_000;

/**
 * The holds of this process, and the record that publishes them to other processes. The record is written on first use and
 * stays, so that taking a hold usually costs no write.
 */
export class Holds {
  readonly #environment: Environment;
  readonly #records: Database;
  readonly #cycle: () => number;
  readonly #now: () => number;
  readonly #identity = processIdentity();
  readonly #key = Buffer.from(this.#identity.token);
  readonly #open = new Set<OpenHold>();
  /** `since` of the written record; undefined before the first write. */
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
    const hold: OpenHold = { owner, cycle, isLost: false };
    this.#open.add(hold);
    const release = async () => void this.#open.delete(hold);
    try {
      if (this.#since === undefined || this.#since > cycle || !this.#isPublished())
        await this.#environment.transaction(() => this.#write());
    } catch (error) {
      await release();
      throw error;
    }
    // The record was removed meanwhile. The write above has published a new one.
    if (hold.isLost) return await this.take(owner);
    this.#timer ??= setInterval(() => this.#renew(), renewEveryMs).unref();
    const confirm = async () => {
      this.#environment.refresh();
      if (hold.isLost || !this.#isPublished()) throw new HoldLostError();
    };
    return { confirm, release };
  }

  #isPublished(): boolean {
    return this.#records.get(this.#key) !== undefined;
  }

  /**
   * Returns the cycle of the oldest open hold of any process, or `cycle`, the next one, without holds. Call it inside a
   * transaction.
   */
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
   * Like {@link oldest}, for the holds of one owner. Holds of other processes count for every owner, since their records name
   * none.
   */
  oldestOf(owner: number, cycle: number): number {
    let oldest = cycle;
    for (const hold of this.#open) if (hold.owner === owner || hold.owner === 0) oldest = Math.min(oldest, hold.cycle);
    for (const { key, value } of [...this.#records.range()]) {
      if (this.#key.equals(key)) continue;
      const record = JSON.parse(Buffer.from(value).toString()) as HoldRecord;
      if (isEnded(record, this.#now())) this.#records.remove(key);
      else oldest = Math.min(oldest, record.since);
    }
    return oldest;
  }

  #write(cycle = this.#cycle()): void {
    if (this.#since !== undefined && !this.#isPublished()) this.#lose();
    // Computed inside the transaction, so that the next cycle includes every hold taken so far.
    let since = cycle;
    for (const hold of this.#open) since = Math.min(since, hold.cycle);
    const record: HoldRecord = { holder: this.#identity, since, renewedAt: this.#now() };
    this.#records.put(this.#key, Buffer.from(JSON.stringify(record)));
    this.#since = since;
  }

  /** Ends the holds that another process has removed with the record. A later record does not make up for the time between. */
  #lose(): void {
    for (const hold of this.#open) hold.isLost = true;
    this.#open.clear();
  }

  /** Publishes the holds of this moment, so that a removal in another process spares no block that is no longer in use. */
  async publish(): Promise<void> {
    if (this.#since !== undefined) await this.#environment.transaction(() => this.#write());
  }

  #renew(): void {
    // A store that cannot write cannot sweep either. The next renewal retries.
    this.#environment.transaction(() => this.#write()).catch(() => {});
  }

  async close(): Promise<void> {
    clearInterval(this.#timer);
    if (this.#since === undefined) return;
    await this.#environment.transaction(() => this.#records.remove(this.#key));
  }
}

/** A paused process of this machine keeps its holds, however long it is silent. */
function isEnded({ holder, renewedAt }: HoldRecord, now: number): boolean {
  return isObservable(holder) ? hasExited(holder) : Math.abs(now - renewedAt) > silentMsMax;
}
