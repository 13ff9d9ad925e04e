import type { Header, Hex } from '@cairn/block-model';
import { isCairnError } from '@cairn/errors';
import type { HeadFeed, NamedHeads } from './head-feed.ts';
import type { ProvenBlocks } from './proven-blocks.ts';
import type { ProvenHeads } from './proven-heads.ts';

/** Blocks that left and joined the chain with a new head. */
export interface ProvenHeadChange {
  /** Blocks that the chain no longer contains, newest first. */
  readonly left: readonly Header[];
  /** New blocks, oldest first. */
  readonly joined: readonly Header[];
}

/** Maximum number of blocks in one change, the newest ones. */
const blocksMax = 1_024;
/** First and longest wait in milliseconds before a head whose header no upstream has yet is read again. */
const retryMs = { first: 200, longest: 5_000 } as const;

export interface HeadTrackerOptions {
  readonly blocks: ProvenBlocks;
  readonly feed: HeadFeed;
  /** Called when the header of a head cannot be read, and when a listener fails. */
  readonly onError?: (error: unknown) => void;
}

/**
 * Heads of a network as verified headers. Reads the header of each named head, and reports the blocks between two heads to listeners,
 * in order.
 */
export class HeadTracker {
  readonly #options: HeadTrackerOptions;
  readonly #listeners = new Set<(change: ProvenHeadChange) => void>();
  readonly #stop = new AbortController();
  #heads: ProvenHeads | undefined;
  #named: NamedHeads | undefined;
  /** Head whose change the listeners have. */
  #announced: Header | undefined;
  #adopting: Promise<void> | undefined;
  #announcing: Promise<void> | undefined;
  #isStarted = false;

  constructor(options: HeadTrackerOptions) {
    this.#options = options;
  }

  /** Verified heads; `undefined` before the first one. */
  get heads(): ProvenHeads | undefined {
    return this.#heads;
  }

  start(): void {
    if (this.#isStarted) return;
    this.#isStarted = true;
    this.#options.feed.start((named) => {
      this.#named = named;
      this.#adopting ??= this.#adoptAll().finally(() => {
        this.#adopting = undefined;
      });
    });
  }

  /** Calls the listener for each change, until the returned function is called. */
  listen(listener: (change: ProvenHeadChange) => void): () => void {
    if (this.#listeners.size === 0) this.#announced = this.#heads?.latest;
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  async close(): Promise<void> {
    this.#stop.abort(new Error('The network is closed.'));
    await this.#options.feed.close();
    await Promise.allSettled([this.#adopting, this.#announcing]);
  }

  /** Reads the headers of the newest named heads until none is newer. */
  async #adoptAll(): Promise<void> {
    const { signal } = this.#stop;
    for (let waitMs: number = retryMs.first; this.#named !== undefined && !signal.aborted; ) {
      const named = this.#named;
      this.#named = undefined;
      try {
        this.#heads = await this.#read(named);
        waitMs = retryMs.first;
        this.#announcing ??= this.#announceAll().finally(() => {
          this.#announcing = undefined;
        });
      } catch (error) {
        if (signal.aborted) return;
        this.#options.onError?.(error);
        await pause(waitMs, signal);
        waitMs = Math.min(waitMs * 2, retryMs.longest);
        this.#named ??= named;
      }
    }
  }

  async #read({ latest, safe, finalized }: NamedHeads): Promise<ProvenHeads> {
    const { signal } = this.#stop;
    const header = (hash: Hex) => this.#options.blocks.header(hash, { signal });
    const [newest, safest, final] = await Promise.all([
      header(latest),
      safe && header(safe),
      finalized && header(finalized),
    ]);
    return { latest: newest, ...(safest && { safe: safest }), ...(final && { finalized: final }) };
  }

  async #announceAll(): Promise<void> {
    while (this.#listeners.size > 0 && !this.#stop.signal.aborted) {
      const { latest } = this.#heads as ProvenHeads;
      const from = this.#announced ?? latest;
      if (from.hash === latest.hash) {
        this.#announced = latest;
        return;
      }
      try {
        const change = await this.#between(from, latest);
        this.#announced = latest;
        for (const listener of this.#listeners) listener(change);
      } catch (error) {
        // The next head repeats the change from the last announced head.
        if (!this.#stop.signal.aborted) this.#options.onError?.(error);
        return;
      }
    }
  }

  /**
   * The path between two heads through their last common ancestor, by parent links. Upstreams may have discarded the blocks of the old
   * branch: then it ends with the oldest block that is still known.
   */
  async #between(from: Header, to: Header): Promise<ProvenHeadChange> {
    const { signal } = this.#stop;
    const left: Header[] = [];
    const joined: Header[] = [];
    let [old, young]: [Header | undefined, Header] = [from, to];
    let end = from.number;
    while (old?.hash !== young.hash && joined.length <= blocksMax) {
      if (old === undefined && young.number < end) break;
      const [leaves, joins]: [boolean, boolean] = old
        ? [old.number >= young.number, young.number >= old.number]
        : [false, true];
      if (leaves && old) left.push(old);
      if (joins) joined.push(young);
      if (leaves && old) end = old.number;
      [old, young] = await Promise.all([
        leaves && old ? this.#knownParent(old) : old,
        joins ? this.#options.blocks.header(young.parentHash, { signal }) : young,
      ]);
    }
    return { left, joined: joined.slice(0, blocksMax).reverse() };
  }

  async #knownParent({ parentHash }: Header): Promise<Header | undefined> {
    const options = { signal: this.#stop.signal, mayBeAbsent: true };
    return await this.#options.blocks.header(parentHash, options).catch((error: unknown) => {
      if (isCairnError(error, 'UPSTREAM_NOT_FOUND')) return undefined;
      throw error;
    });
  }
}

function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(done, ms);
    function done(): void {
      clearTimeout(timer);
      signal.removeEventListener('abort', done);
      resolve();
    }
    signal.addEventListener('abort', done, { once: true });
  });
}
