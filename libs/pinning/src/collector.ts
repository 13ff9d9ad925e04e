import type { Blockstore, Collectable } from '@cairn/blockstore';
import type { CID } from '@cairn/cid';
import type { CollectionReport, CollectionState } from './collection.ts';
import { CollectionBusyError } from './errors.ts';
import type { PinStore } from './pin-store.ts';
import type { RootSource } from './root-source.ts';
import { Collection } from './run-collection.ts';

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
  /** Blocks that only this account has put go without grace. */
  readonly account?: string;
  /** Told of the blocks of that account that each step removed: what others had is not for its eyes. */
  readonly onRemoved?: (cids: readonly CID[]) => void;
}

const renewEveryMs = 10_000;

/**
 * Collects garbage: marks what is reachable from pins and other sources, then removes what is neither marked nor recent
 * nor being written (see `Collectable`). It runs beside everything else in slices of a few milliseconds, in one process at a
 * time, and goes on where it was when it is killed.
 */
export class Collector {
  readonly #options: CollectorOptions;

  constructor(options: CollectorOptions) {
    this.#options = options;
  }

  /**
   * Runs one collection, or the rest of one that was cut short; for an account, a whole one in any case, so that what it
   * has let go of goes.
   * @throws COLLECTION_BUSY while another process or call collects; the signal's reason
   */
  async collect(options: CollectOptions = {}): Promise<CollectionReport> {
    const lock = await this.#options.pins.tryLock();
    if (lock === undefined) throw new CollectionBusyError();
    const lost = new AbortController();
    const renew = async () => {
      if (!(await lock.renew())) lost.abort(new CollectionBusyError());
    };
    const timer = setInterval(() => void renew().catch((error: unknown) => lost.abort(error)), renewEveryMs).unref();
    try {
      const signal = options.signal ? AbortSignal.any([options.signal, lost.signal]) : lost.signal;
      const rest = await this.#unfinished();
      const report = rest && (await new Collection(this.#options, rest, { ...options, signal }).run());
      // Its marks are of the time before it was cut short: what an account has let go of since goes with the next one.
      if (report !== undefined && options.account === undefined) return report;
      return await new Collection(this.#options, await this.#begin(), { ...options, signal }).run();
    } finally {
      clearInterval(timer);
      await lock.release();
    }
  }

  /** Where a collection of the current cycle stood that was cut short. */
  async #unfinished(): Promise<CollectionState | undefined> {
    const { pins, collectable } = this.#options;
    const state = await pins.collection();
    return state && state.phase !== 'done' && state.cycle === (await collectable.cycle()) ? state : undefined;
  }

  async #begin(): Promise<CollectionState> {
    const { pins, collectable } = this.#options;
    const begun: CollectionState = { cycle: await collectable.beginCycle(), phase: 'recursive' };
    await pins.setCollection(begun);
    return begun;
  }
}
