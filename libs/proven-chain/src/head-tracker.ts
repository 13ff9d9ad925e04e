import type { Hex } from '@cairn/block-model';
import type { HeadFeed, NamedHeads } from './head-feed.ts';
import type { ProvenBlocks } from './proven-blocks.ts';
import type { ProvenHeads } from './proven-heads.ts';

/** First and longest wait in milliseconds before a head whose header no upstream has yet is read again. */
const retryMs = { first: 200, longest: 5_000 } as const;

export interface HeadTrackerOptions {
  readonly blocks: ProvenBlocks;
  readonly feed: HeadFeed;
  /** Called when the header of a head cannot be read. */
  readonly onError?: (error: unknown) => void;
}

/** Heads of a network as verified headers. Reads the header of each head that the feed names, and signals changes. */
export class HeadTracker {
  readonly #options: HeadTrackerOptions;
  readonly #listeners = new Set<() => void>();
  readonly #stop = new AbortController();
  #heads: ProvenHeads | undefined;
  #named: NamedHeads | undefined;
  #adopting: Promise<void> | undefined;
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

  /** Calls the listener after each change of the heads, until the returned function is called. */
  listen(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  async close(): Promise<void> {
    this.#stop.abort(new Error('The network is closed.'));
    await this.#options.feed.close();
    await this.#adopting;
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
        for (const listener of this.#listeners) listener();
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
