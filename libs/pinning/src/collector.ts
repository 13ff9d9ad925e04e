import type { Blockstore, Collectable } from '@cairn/blockstore';
import type { CID } from '@cairn/cid';
import { AccountCollection } from './account-collection.ts';
import { CoalescedRuns } from './coalesced-runs.ts';
import type { AccountCollectionReport, CollectionReport, CollectionState } from './collection-report.ts';
import { CollectionRun } from './collection-run.ts';
import { disownLegacyBlocks } from './disown-legacy-blocks.ts';
import { CollectionBusyError } from './errors.ts';
import type { PinStore } from './pin-store.ts';
import type { RootSource } from './root-source.ts';

export interface CollectorOptions {
  readonly pins: PinStore;
  /** A verified store. */
  readonly blocks: Blockstore;
  readonly collectable: Collectable;
  readonly sources?: readonly RootSource[];
  /** How long blocks stay that were put or touched without being pinned, in seconds. Default 3,600. */
  readonly graceSeconds?: number;
}

export interface CollectOptions {
  readonly signal?: AbortSignal;
}

export interface AccountCollectOptions extends CollectOptions {
  /** Called with the blocks that each step removed. */
  readonly onRemoved?: (cids: readonly CID[]) => void;
  /** Removes what failed writes have left, and nothing that a write has reported. Default false. */
  readonly leftoversOnly?: boolean;
}

const renewEveryMs = 10_000;
const graceSecondsDefault = 3600;

/**
 * Collects garbage. A collection of the whole store marks what is reachable from pins and other sources, then removes what
 * is neither marked nor recent nor being written (see `Collectable`): in slices of a few milliseconds, in one process at a
 * time, resumed where it was when it is killed. A collection of an account looks only at what the account holds or held.
 */
export class Collector {
  readonly #options: CollectorOptions;
  /** By kind and account: the run under way, and the one that everyone who has come since waits for. */
  readonly #runs = new Map<string, CoalescedRuns<readonly CID[], AccountCollectionReport>>();

  constructor(options: CollectorOptions) {
    this.#options = options;
  }

  /**
   * Runs one collection of the whole store, or the rest of one that was cut short.
   * @throws COLLECTION_BUSY while another process or call collects; STORE_CORRUPT where records of pins disagree; the
   * signal's reason
   */
  async collect(options: CollectOptions = {}): Promise<CollectionReport> {
    const { pins, graceSeconds = graceSecondsDefault } = this.#options;
    const lock = await pins.tryLockCollection();
    if (lock === undefined) throw new CollectionBusyError();
    const began = Date.now();
    const lost = new AbortController();
    const renew = async () => {
      if (!(await lock.renew())) lost.abort(new CollectionBusyError());
    };
    const timer = setInterval(() => void renew().catch((error: unknown) => lost.abort(error)), renewEveryMs).unref();
    try {
      const signal = options.signal ? AbortSignal.any([options.signal, lost.signal]) : lost.signal;
      await this.#assertConsistent(signal);
      const state = (await this.#unfinished()) ?? (await this.#begin());
      const report = await new CollectionRun(this.#options, state, { signal }).run();
      // Garbage below them went with this collection, as far as its grace period was over.
      if (report.unreadable.length === 0) await pins.forgetReleasedBefore(began - graceSeconds * 1000);
      return report;
    } finally {
      clearInterval(timer);
      await lock.release();
    }
  }

  /**
   * Removes, without grace, what one account has written alone and holds no longer: what it claims and has not pinned, and
   * what lies below roots that it has released. Its cost follows what the account holds and held; without claims and
   * released roots it is a few reads. Calls for one account share a run, one that begins after the call.
   * @throws the signal's reason
   */
  async collectFor(
    account: string,
    { signal, onRemoved, leftoversOnly = false }: AccountCollectOptions = {},
  ): Promise<AccountCollectionReport> {
    await disownLegacyBlocks(this.#options);
    const key = `${leftoversOnly} ${account}`;
    let runs = this.#runs.get(key);
    if (runs === undefined) {
      runs = new CoalescedRuns((runSignal, tell) =>
        new AccountCollection(this.#options, account, { signal: runSignal, onRemoved: tell, leftoversOnly }).run(),
      );
      this.#runs.set(key, runs);
    }
    try {
      return await runs.join({ ...(signal && { signal }), ...(onRemoved && { onEvent: onRemoved }) });
    } finally {
      if (runs.isIdle) this.#runs.delete(key);
    }
  }

  /** Marks that follow damaged records would miss what they hold. */
  async #assertConsistent(signal: AbortSignal): Promise<void> {
    const { pins, sources = [] } = this.#options;
    await pins.assertConsistent({ signal });
    for (const source of sources) await source.assertConsistent?.({ signal });
  }

  /** Where a collection of the current cycle stood that was cut short. */
  async #unfinished(): Promise<CollectionState | undefined> {
    const { pins, collectable } = this.#options;
    const state = await pins.collectionState();
    return state && state.phase !== 'done' && state.cycle === (await collectable.cycle()) ? state : undefined;
  }

  async #begin(): Promise<CollectionState> {
    const { pins, collectable } = this.#options;
    const begun: CollectionState = { cycle: await collectable.beginCycle(), phase: 'recursive' };
    await pins.setCollectionState(begun);
    return begun;
  }
}
