import type { CID } from '@cairn/cid';
import { isCairnError } from '@cairn/errors';
import { RegionRun } from './announce-region.ts';
import { type Clock, systemClock } from './clock.ts';
import type { Announcer } from './content-router.ts';
import { ProvidingError } from './errors.ts';
import { sectorCount } from './keyspace.ts';
import { limits } from './limits.ts';
import type { ProvideSource } from './provide-source.ts';
import type { ProvideCounts, ProvideRecord, ProvideStore } from './provide-store.ts';
import { type Reconciliation, reconcile } from './reconcile.ts';

export interface ScheduleOptions {
  readonly store: ProvideStore;
  readonly announcer: Announcer;
  readonly source: ProvideSource;
  /** Milliseconds from one announcement of a record to the next one. Default: 22 hours, as in Kubo. */
  readonly intervalMs?: number;
  /** Milliseconds for which nodes of the routing system keep a record. Default: 48 hours, as in the DHT. */
  readonly validityMs?: number;
  /** Milliseconds between two comparisons with the source. Default: 10 minutes. */
  readonly reconcileMs?: number;
  /** Regions that are announced concurrently. */
  readonly regionsMax?: number;
  readonly clock?: Clock;
  /** Number from 0 to 1 that spreads retries. Default: random. */
  readonly jitter?: () => number;
  readonly onEvent?: (event: ScheduleEvent) => void;
}

export type ScheduleEvent =
  | { readonly type: 'reconciled'; readonly result: Reconciliation }
  | { readonly type: 'failed'; readonly error: unknown };

export interface ScheduleCounts extends ProvideCounts {
  /** Announcements since the start. */
  readonly announced: number;
  /** Failed announcements since the start. */
  readonly failed: number;
  /** Regions that were looked up since the start. */
  readonly lookups: number;
  /** False while the routing system cannot be reached. */
  readonly isOnline: boolean;
}

const hour = 3_600_000;

/**
 * Keeps the records of this node alive in the routing system. A new record is announced immediately, and again in the slot of
 * its region before it expires. All state is in the store, so that a restart resumes the schedule. A record is announced
 * again only if it was stored as announced before: a crash repeats announcements, but never loses one.
 */
export class ProvideSchedule {
  readonly #options: ScheduleOptions;
  readonly #clock: Clock;
  readonly #intervalMs: number;
  readonly #stopped = new AbortController();
  readonly #sectors = new Map<number, Promise<void>>();
  #announced = 0;
  #failed = 0;
  #lookups = 0;
  #outages = 0;
  #pausedUntil = 0;
  #reconcileAt = 0;
  #loop: Promise<void> | undefined;
  #reconciling: Promise<void> | undefined;
  #wake = () => {};
  #isWoken = false;

  /** @throws PROVIDE_INTERVAL_INVALID if records would expire before they are repeated */
  constructor(options: ScheduleOptions) {
    this.#options = options;
    this.#clock = options.clock ?? systemClock;
    this.#intervalMs = options.intervalMs ?? 22 * hour;
    const { validityMs = 48 * hour } = options;
    if (this.#intervalMs >= 1000 && this.#intervalMs * 1.5 <= validityMs) return;
    const value = `${this.#intervalMs / 1000} seconds`;
    throw new ProvidingError('PROVIDE_INTERVAL_INVALID', `The interval of announcements is ${value}.`, {
      hint: `Choose 1 second to two thirds of the validity of records, which is ${validityMs / 1000} seconds.`,
    });
  }

  start(): void {
    this.#loop ??= this.#run();
  }

  /** Ends all announcements. Records in progress are announced again after the next start. */
  async stop(): Promise<void> {
    this.#stopped.abort(new Error('the schedule is stopped'));
    this.#signal();
    await this.#loop;
    await this.#reconciling;
    await Promise.all(this.#sectors.values());
  }

  /** Announces content within seconds if the source includes it. Resolves when its records are durable. */
  async added(cids: readonly CID[]): Promise<void> {
    const { store, source } = this.#options;
    for (let at = 0; at < cids.length; at += limits.pageRecords) {
      const page: CID[] = [];
      for (const cid of cids.slice(at, at + limits.pageRecords)) if (await source.includes(cid)) page.push(cid);
      await store.add(page);
    }
    this.#signal();
  }

  /** Ends the announcements of content, except of what the source still includes. */
  async removed(cids: readonly CID[]): Promise<void> {
    const { store, source } = this.#options;
    const gone: CID[] = [];
    for (const cid of cids) if (!(await source.includes(cid))) gone.push(cid);
    await store.remove(gone);
  }

  /** Compares the records with the source soon, for example after its policy changed. */
  requestReconciliation(): void {
    this.#reconcileAt = 0;
    this.#signal();
  }

  /** Reports that the network may be reachable again. */
  networkChanged(): void {
    this.#pausedUntil = Math.min(this.#pausedUntil, this.#clock.now() + 1000);
    this.#signal();
  }

  async counts(): Promise<ScheduleCounts> {
    return {
      ...(await this.#options.store.counts()),
      announced: this.#announced,
      failed: this.#failed,
      lookups: this.#lookups,
      isOnline: this.#outages === 0,
    };
  }

  async #run(): Promise<void> {
    while (!this.#isStopped) {
      this.#isWoken = false;
      try {
        this.#startReconciliation();
        await this.#startRegions();
        await this.#sleep(await this.#idleMs());
      } catch (error) {
        this.#report(error);
        this.#isWoken = false;
        await this.#sleep(limits.retryMs);
      }
    }
  }

  #startReconciliation(): void {
    const now = this.#clock.now();
    if (this.#reconciling !== undefined || now < this.#reconcileAt) return;
    const { store, source, reconcileMs = hour / 6, onEvent } = this.#options;
    this.#reconcileAt = now + reconcileMs;
    const { signal } = this.#stopped;
    const run = reconcile({ store, source, now: () => this.#clock.now(), ageMsMax: this.#ageMsMax, signal });
    this.#reconciling = run
      .then((result) => onEvent?.({ type: 'reconciled', result }))
      .catch((error: unknown) => this.#report(error))
      .finally(() => {
        this.#reconciling = undefined;
        this.#signal();
      });
  }

  async #startRegions(): Promise<void> {
    const { regionsMax = limits.regionsMax } = this.#options;
    while (!this.#isStopped && this.#sectors.size < regionsMax) {
      const now = this.#clock.now();
      if (now < this.#pausedUntil) return;
      const first = await this.#firstDue();
      if (first === undefined || first.record.dueAt > now) return;
      const { sector, record } = first;
      const run = this.#announceRegion(record).finally(() => {
        this.#sectors.delete(sector);
        this.#signal();
      });
      this.#sectors.set(sector, run);
      // One lookup finds out whether the routing system answers again.
      if (this.#outages > 0) return;
    }
  }

  /** Returns the earliest record of the sectors in which no region is announced. */
  async #firstDue(): Promise<{ readonly sector: number; readonly record: ProvideRecord } | undefined> {
    let first: { readonly sector: number; readonly record: ProvideRecord } | undefined;
    for (let sector = 0; sector < sectorCount; sector++) {
      if (this.#sectors.has(sector)) continue;
      const record = await this.#options.store.firstDue(sector);
      if (record !== undefined && record.dueAt < (first?.record.dueAt ?? Infinity)) first = { sector, record };
    }
    return first;
  }

  async #announceRegion(first: ProvideRecord): Promise<void> {
    const { announcer, store, source, jitter = Math.random } = this.#options;
    const run = new RegionRun({
      announcer,
      store,
      source,
      jitter,
      clock: this.#clock,
      intervalMs: this.#intervalMs,
      signal: this.#stopped.signal,
      onLookup: () => this.#lookups++,
      onSettled: (announced, failed) => {
        this.#announced += announced;
        this.#failed += failed;
        if (announced > 0) this.#outages = 0;
      },
    });
    try {
      await run.announce(first);
      this.#outages = 0;
    } catch (error) {
      if (!this.#isStopped) this.#pause(error);
    }
  }

  /** Waits before the next lookup, since the routing system does not answer. */
  #pause(error: unknown): void {
    const waitMs = Math.min(limits.offlineMsMax, 1000 * 2 ** Math.min(this.#outages, 10));
    this.#outages++;
    this.#pausedUntil = this.#clock.now() + waitMs;
    if (this.#outages === 1 || !isCairnError(error, 'ROUTING_UNAVAILABLE')) this.#report(error);
  }

  async #idleMs(): Promise<number> {
    const now = this.#clock.now();
    const { regionsMax = limits.regionsMax } = this.#options;
    const reconcileMs = this.#reconciling === undefined ? this.#reconcileAt - now : limits.sleepMsMax;
    const isFull = this.#sectors.size >= regionsMax || (this.#outages > 0 && this.#sectors.size > 0);
    const due = isFull ? undefined : await this.#firstDue();
    const dueMs = due === undefined ? limits.sleepMsMax : Math.max(due.record.dueAt, this.#pausedUntil) - now;
    return Math.max(1, Math.min(reconcileMs, dueMs, limits.sleepMsMax));
  }

  #sleep(ms: number): Promise<void> {
    if (this.#isWoken || this.#isStopped) return Promise.resolve();
    return new Promise((resolve) => {
      const cancel = this.#clock.after(ms, () => resolve());
      this.#wake = () => {
        cancel();
        resolve();
      };
    });
  }

  #signal(): void {
    this.#isWoken = true;
    this.#wake();
  }

  #report(error: unknown): void {
    if (!this.#isStopped) this.#options.onEvent?.({ type: 'failed', error });
  }

  get #ageMsMax(): number {
    return Math.ceil(this.#intervalMs * 1.5);
  }

  get #isStopped(): boolean {
    return this.#stopped.signal.aborted;
  }
}
