import { type BoundedBlockstore, scrub } from '@cairn/blockstore';
import { COLLECTABLE } from '@cairn/blockstore/nest';
import { errorChain, isCairnError } from '@cairn/errors';
import { Collector } from '@cairn/pinning';
import type { Logger, ProcessGroup } from '@cairn/service-kit';
import { LOGGER, PROCESSES, SETTINGS } from '@cairn/service-kit/nest';
import { packMaintenanceOf } from '@cairn/stores';
import { Inject, Injectable, type OnApplicationBootstrap, type OnModuleDestroy } from '@nestjs/common';
import { PackMaintainer } from './pack-maintainer.ts';
import type { StorageSettings } from './settings.ts';

const checkEveryMs = 5_000;
/** Shortest interval of maintenances of packs without a collection: a pack that is emptied step by step is rewritten once. */
const packsEveryMs = 60_000;
const restBetweenScrubsMs = 60_000;
/** Milliseconds before another collection, where one did not bring the store below its watermark. */
const retryAfterMs = 60_000;

/**
 * Maintains the store: collects garbage at the watermark and at intervals, and verifies every block against its CID
 * in a slow walk. Both run in small steps beside requests, in the leading process of the service. Of several services on one store, one collects at a
 * time, and maintains the packs of the bucket under the same lease.
 */
@Injectable()
export class StoreMaintenance implements OnApplicationBootstrap, OnModuleDestroy {
  readonly #stop = new AbortController();
  /** Counts since the start, for metrics. */
  readonly counts = { collections: 0, scrubbedBlocks: 0 };
  #work: Promise<unknown> = Promise.resolve();
  // Monotonic, so that a clock that is set back does not delay collections.
  #collectedAt = performance.now();
  /** Time of the next check of the watermark. */
  #retryAt = 0;
  /** Whether accounts have removed blocks since the last maintenance of packs. */
  #hasSparsePacks = false;
  #packsMaintainedAt = Number.NEGATIVE_INFINITY;

  constructor(
    @Inject(COLLECTABLE) private readonly store: BoundedBlockstore,
    @Inject(Collector) private readonly collector: Collector,
    @Inject(SETTINGS) private readonly settings: StorageSettings,
    @Inject(PROCESSES) private readonly processes: ProcessGroup,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  onApplicationBootstrap(): void {
    this.store.onRemoved(() => {
      this.#hasSparsePacks = true;
    });
    this.processes.whenLeading(() => {
      if (!this.#stop.signal.aborted) this.#work = Promise.all([this.#collectWhenNeeded(), this.#scrubRepeatedly()]);
    });
  }

  /** Stops before the stores close. */
  async onModuleDestroy(): Promise<void> {
    this.#stop.abort(new Error('the service is shutting down'));
    await this.#work;
  }

  async #collectWhenNeeded(): Promise<void> {
    const packs = packMaintenanceOf(this.store);
    const maintainer = packs && new PackMaintainer(packs, this.logger);
    while (await this.#rest(checkEveryMs)) {
      if (!this.#isDue()) {
        await this.#maintainPacks(maintainer);
        continue;
      }
      try {
        const { unreadable, ...report } = await this.collector.collect({
          signal: this.#stop.signal,
          // A full store refuses adds, so that it keeps no cache.
          ...(this.#isAboveWatermark() && { cacheGraceSeconds: 0 }),
          ...(maintainer && { afterwards: (signal) => maintainer.run(signal) }),
        });
        this.#hasSparsePacks = false;
        if (unreadable.length > 0) {
          this.logger.error(
            { ...report, unreadable },
            'garbage collection removed nothing: pinned DAGs cannot be walked',
          );
        } else this.logger.info(report, 'garbage collected');
        this.counts.collections++;
      } catch (error) {
        if (isCairnError(error, 'COLLECTION_BUSY') || this.#stop.signal.aborted) continue;
        this.logger.error({ causes: errorChain(error) }, 'garbage collection failed');
      } finally {
        this.#collectedAt = performance.now();
        if (this.#isAboveWatermark()) this.#retryAt = performance.now() + retryAfterMs;
      }
    }
  }

  /** Maintains packs without a collection. A process that collects now maintains them itself. */
  async #maintainPacks(maintainer: PackMaintainer | undefined): Promise<void> {
    if (maintainer === undefined || !this.#hasSparsePacks) return;
    if (performance.now() - this.#packsMaintainedAt < packsEveryMs) return;
    this.#hasSparsePacks = false;
    this.#packsMaintainedAt = performance.now();
    const { signal } = this.#stop;
    try {
      await this.collector.runExclusively((leased) => maintainer.run(leased), { signal });
    } catch (error) {
      if (isCairnError(error, 'COLLECTION_BUSY') || signal.aborted) return;
      this.#hasSparsePacks = true;
      this.logger.error({ causes: errorChain(error) }, 'maintenance of packs failed');
    }
  }

  #isDue(): boolean {
    const { STORAGE_GC_INTERVAL_SECONDS: interval } = this.settings;
    if (interval > 0 && performance.now() - this.#collectedAt >= interval * 1000) return true;
    return performance.now() >= this.#retryAt && this.#isAboveWatermark();
  }

  #isAboveWatermark(): boolean {
    const { bytes, bytesMax } = this.store.fullness();
    return bytes >= (bytesMax * this.settings.STORAGE_GC_WATERMARK_PERCENT) / 100;
  }

  async #scrubRepeatedly(): Promise<void> {
    const { STORAGE_SCRUB_BYTES_PER_SECOND: bytesPerSecond } = this.settings;
    if (bytesPerSecond === 0) return;
    const packs = packMaintenanceOf(this.store);
    while (await this.#rest(restBetweenScrubsMs)) {
      try {
        const options = { bytesPerSecond, signal: this.#stop.signal };
        const wait = async (milliseconds: number) => void (await this.#rest(milliseconds));
        // The scrub of packs reads the bucket itself; that of a store would read the local cache.
        // One process scrubs a bucket at a time.
        const report = packs
          ? await packs.scrubUnderLease(options)
          : await scrub({ ...options, store: this.store, wait });
        if (report === undefined) continue;
        this.counts.scrubbedBlocks += report.blocks;
        this.logger.info(report, 'scrubbed');
      } catch (error) {
        if (!this.#stop.signal.aborted) this.logger.error({ causes: errorChain(error) }, 'scrub failed');
      }
    }
  }

  /** Waits. Returns false when the service is shutting down. */
  #rest(milliseconds: number): Promise<boolean> {
    const { signal } = this.#stop;
    return new Promise((resolve) => {
      if (signal.aborted) return resolve(false);
      const done = () => {
        clearTimeout(timer);
        signal.removeEventListener('abort', done);
        resolve(!signal.aborted);
      };
      const timer = setTimeout(done, milliseconds).unref();
      signal.addEventListener('abort', done, { once: true });
    });
  }
}
