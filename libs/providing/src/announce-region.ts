import type { Clock } from './clock.ts';
import type { AnnounceRegion, Announcer } from './content-router.ts';
import { type Region, regionOf, sectorBits } from './keyspace.ts';
import { limits } from './limits.ts';
import type { ProvideSource } from './provide-source.ts';
import type { ProvideRecord, ProvideStore, Settlement } from './provide-store.ts';
import { nextSlot } from './slot.ts';
import { withDeadline } from './with-deadline.ts';

export interface RegionRunOptions {
  readonly announcer: Announcer;
  readonly store: ProvideStore;
  readonly source: ProvideSource;
  readonly clock: Clock;
  readonly intervalMs: number;
  readonly jitter: () => number;
  readonly signal: AbortSignal;
  readonly onLookup: () => void;
  readonly onSettled: (announced: number, failed: number) => void;
}

/** Announces the due records around one record, page by page. */
export class RegionRun {
  readonly #options: RegionRunOptions;
  /** Equal for all records of the run, so that one lookup serves their retries. */
  readonly #jitter: number;

  constructor(options: RegionRunOptions) {
    this.#options = options;
    this.#jitter = options.jitter();
  }

  /** @throws if the nodes of the region cannot be found. Other failures are stored with their record. */
  async announce(first: ProvideRecord): Promise<void> {
    const { announcer, store, signal, onLookup } = this.#options;
    if ((await this.#wanted([first])).length === 0) return;
    onLookup();
    const opened = await withDeadline(limits.lookupMs, signal, (deadline) =>
      announcer.openRegion(first, { signal: deadline }),
    );
    // Other sectors may be in progress: a larger region is clipped.
    const region = regionOf(first.key, Math.max(opened.region.bits, sectorBits));
    const dueBy = this.#dueBy(region);
    let after: Uint8Array | undefined;
    for (let pages = 0; pages < limits.regionPagesMax; pages++) {
      const page = await store.inRegion(region, { after, limit: limits.pageRecords });
      const due = page.filter((record) => Buffer.compare(record.key, first.key) !== 0 && this.#isDue(record, dueBy));
      // The first record may be beyond the last page.
      await this.#page(opened, region, pages === 0 ? [first, ...due] : due);
      after = page.at(-1)?.key;
      if (page.length < limits.pageRecords || signal.aborted) return;
    }
  }

  /** Records of the region are due until the slot of its last key. */
  #dueBy({ bits }: Region): number {
    return this.#options.clock.now() + Math.ceil(this.#options.intervalMs / 2 ** bits);
  }

  #isDue({ dueAt, announcedAt, failures }: ProvideRecord, dueBy: number): boolean {
    const { clock, intervalMs } = this.#options;
    const now = clock.now();
    if (dueAt <= now) return true;
    const isOld = announcedAt !== undefined && announcedAt <= now - intervalMs / 2;
    return failures === 0 && isOld && dueAt <= dueBy;
  }

  async #page(opened: AnnounceRegion, region: Region, page: readonly ProvideRecord[]): Promise<void> {
    const { signal, store, onSettled } = this.#options;
    const records = await this.#wanted(page);
    if (records.length === 0 || signal.aborted) return;
    const done = await withDeadline(limits.announceMs, signal, (deadline) =>
      opened.announce(records, { signal: deadline }),
    ).catch(() => []);
    // Records of an interrupted page stay due.
    if (signal.aborted) return;
    const settlements = records.map((record, at) => this.#settlement(record, region, done[at] === true));
    await store.settle(settlements);
    const announced = settlements.filter(({ announcedAt }) => announcedAt !== undefined).length;
    onSettled(announced, settlements.length - announced);
  }

  /** Returns the records that the source still includes, and removes the others. */
  async #wanted(page: readonly ProvideRecord[]): Promise<readonly ProvideRecord[]> {
    const { store, source } = this.#options;
    const wanted: ProvideRecord[] = [];
    for (const record of page) {
      let isWanted = false;
      for (const cid of await store.cidsOf(record.key)) {
        if (await source.includes(cid)) isWanted = true;
        else await store.remove([cid]);
      }
      if (isWanted) wanted.push(record);
    }
    return wanted;
  }

  #settlement({ key, failures }: ProvideRecord, { bits }: Region, isAnnounced: boolean): Settlement {
    const { clock, intervalMs } = this.#options;
    const now = clock.now();
    if (isAnnounced) return { key, announcedAt: now, failures: 0, dueAt: nextSlot(now, intervalMs, key, bits) };
    const waitMs = Math.min(limits.retryMsMax, limits.retryMs * 2 ** Math.min(failures, 20));
    return { key, failures: failures + 1, dueAt: now + Math.ceil(waitMs * (0.5 + this.#jitter / 2)) };
  }
}
