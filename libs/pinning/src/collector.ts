import type { CID } from '@cairn/cid';
import { AccountCollection } from './account-collection.ts';
import { CoalescedRuns } from './coalesced-runs.ts';
import type { AccountCollectionReport, CollectionReport, CollectionState } from './collection-report.ts';
import { CollectionRun } from './collection-run.ts';
import type {
  AccountCollectOptions,
  CollectOptions,
  CollectorOptions,
  StoreCollectOptions,
} from './collector-options.ts';
import { disownLegacyBlocks } from './disown-legacy-blocks.ts';
import { CollectionBusyError } from './errors.ts';

const renewEveryMs = 10_000;
const graceSecondsDefault = 3600;

/**
 * Collects garbage. A collection of the whole store marks blocks that are reachable from pins and root sources, then removes
 * blocks that are neither marked, recent nor in use by a write (see `Collectable`). It runs in slices of a few milliseconds,
 * in one process at a time, and resumes after a kill. A collection of an account examines only its claims and its released
 * and retained roots.
 */
export class Collector {
  readonly #options: CollectorOptions;
  /** The current and the next run, by kind and account. */
  readonly #runs = new Map<string, CoalescedRuns<readonly CID[], AccountCollectionReport>>();

  constructor(options: CollectorOptions) {
    this.#options = options;
  }

  /**
   * Runs one collection of the whole store, or the rest of an interrupted one.
   * @throws COLLECTION_BUSY while another process or call collects; STORE_CORRUPT if records of pins disagree; the reason of
   * the signal
   */
  async collect(options: StoreCollectOptions = {}): Promise<CollectionReport> {
    const { pins, graceSeconds = graceSecondsDefault } = this.#options;
    return await this.runExclusively(async (signal) => {
      const began = Date.now();
      await this.#assertConsistent(signal);
      const state = (await this.#unfinished()) ?? (await this.#begin());
      const { cacheGraceSeconds } = options;
      const report = await new CollectionRun(this.#options, state, { signal, cacheGraceSeconds }).run();
      // This collection removed the garbage below roots that were released before the grace period.
      if (report.unreadable.length === 0) await pins.forgetReleasedBefore(began - graceSeconds * 1000);
      await options.afterwards?.(signal);
      return report;
    }, options);
  }

  /**
   * Runs work under the lease of collection. The signal aborts when the lease is lost.
   * @throws COLLECTION_BUSY while another process or call has the lease; the errors of the work
   */
  async runExclusively<T>(work: (signal: AbortSignal) => Promise<T>, options: CollectOptions = {}): Promise<T> {
    const lock = await this.#options.pins.tryLockCollection();
    if (lock === undefined) throw new CollectionBusyError();
    const lost = new AbortController();
    const renew = async () => {
      if (!(await lock.renew())) lost.abort(new CollectionBusyError());
    };
    const timer = setInterval(() => void renew().catch((error: unknown) => lost.abort(error)), renewEveryMs).unref();
    try {
      return await work(options.signal ? AbortSignal.any([options.signal, lost.signal]) : lost.signal);
    } finally {
      clearInterval(timer);
      await lock.release();
    }
  }

  /**
   * Removes, without a grace period, blocks that one account alone has written and no longer retains: claimed blocks that it
   * has not pinned, and blocks below roots that it has released. The cost grows with the roots and claims of the account;
   * without claims and released roots it is a few reads. Concurrent calls for one account share a run that begins after them.
   * @throws the reason of the signal
   */
  async collectFor(
    account: string,
    { signal, onRemoved, leftoversOnly = false }: AccountCollectOptions = {},
  ): Promise<AccountCollectionReport> {
    await disownLegacyBlocks(this.#options);
    const key = `${leftoversOnly} ${account}`;
    let runs = this.#runs.get(key);
    if (runs === undefined) {
      runs = new CoalescedRuns((runSignal, emit) =>
        new AccountCollection(this.#options, account, { signal: runSignal, onRemoved: emit, leftoversOnly }).run(),
      );
      this.#runs.set(key, runs);
    }
    try {
      return await runs.join({ ...(signal && { signal }), ...(onRemoved && { onEvent: onRemoved }) });
    } finally {
      if (runs.isIdle) this.#runs.delete(key);
    }
  }

  /** Verifies the records of roots, since a damaged record would leave reachable blocks unmarked. @throws STORE_CORRUPT */
  async #assertConsistent(signal: AbortSignal): Promise<void> {
    const { pins, sources = [] } = this.#options;
    await pins.assertConsistent({ signal });
    for (const source of sources) await source.assertConsistent?.({ signal });
  }

  /** Returns the state of an interrupted collection of the current cycle. */
  async #unfinished(): Promise<CollectionState | undefined> {
    const { pins, collectable } = this.#options;
    const state = await pins.collectionState();
    return state && state.phase !== 'done' && state.cycle === (await collectable.cycle()) ? state : undefined;
  }

  async #begin(): Promise<CollectionState> {
    const { pins, collectable } = this.#options;
    const state: CollectionState = { cycle: await collectable.beginCycle(), phase: 'recursive' };
    await pins.setCollectionState(state);
    return state;
  }
}
