import type { Blockstore } from '@cairn/blockstore';

const KiB = 1024;

/** How much work counts, in bytes: {@link Work} adds it up. */
const workBytes = {
  /** A block that is read, written or visited counts as this many bytes at least. */
  blockMin: 16 * KiB,
  /** A line or entry of an answer. */
  line: 4 * KiB,
  /** Each byte that the codec thread decodes. */
  codecFactor: 32,
} as const;

/** Work of one request in bytes. Its transfers pay for as many of them. */
export class Work {
  #bytes = 0;

  get bytes(): number {
    return this.#bytes;
  }

  /** Counts blocks that were read or written. */
  blocks(lengths: Iterable<number>): void {
    for (const length of lengths) this.#bytes += Math.max(workBytes.blockMin, length);
  }

  /** Counts blocks that were only visited. */
  visits(count: number): void {
    this.#bytes += count * workBytes.blockMin;
  }

  /** Counts a line of the answer. */
  line(): void {
    this.#bytes += workBytes.line;
  }

  /** Counts a block that the codec thread decodes. */
  codec(bytes: number): void {
    this.#bytes += bytes * workBytes.codecFactor;
  }
}

const workBySignal = new WeakMap<AbortSignal, Work>();

/** Counts what is done for a signal as the work of a request. */
export function countWork(signal: AbortSignal, work: Work): void {
  workBySignal.set(signal, work);
}

/** The work of the request that a signal ends; nothing for work beside requests. */
export function workOf(signal: AbortSignal | undefined): Work | undefined {
  return signal && workBySignal.get(signal);
}

/** Counts the blocks that requests read. */
export function withWork(store: Blockstore): Blockstore {
  return {
    async get(cid, options) {
      const bytes = await store.get(cid, options);
      workOf(options?.signal)?.blocks([bytes.length]);
      return bytes;
    },
    has: (cid) => store.has(cid),
    size: (cid) => store.size(cid),
    putMany: (blocks, options) => store.putMany(blocks, options),
    sync: () => store.sync(),
    delete: (cid) => store.delete(cid),
    keys: (options) => store.keys(options),
    stats: () => store.stats(),
    close: () => store.close(),
  };
}
