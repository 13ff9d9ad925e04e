import type { Blockstore } from '@cairn/blockstore';
import type { CID } from '@cairn/cid';

/** CIDs that wait to be announced. The peer finds older ones itself: it checks the wants of its peers periodically. */
const waitingMax = 16_384;
/** Milliseconds after which blocks are announced that no `sync` follows. */
const delayMs = 250;

/** Announces written blocks in batches once other processes can read them. Writes never wait for it. */
export class BlockAnnouncer {
  readonly #announce: (cids: readonly CID[]) => void;
  #waiting: CID[] = [];
  /** Announced and waiting CIDs since the start. */
  #count = 0;
  #timer: NodeJS.Timeout | undefined;

  constructor(announce: (cids: readonly CID[]) => void) {
    this.#announce = announce;
  }

  wrap(store: Blockstore): Blockstore {
    return {
      get: (cid, options) => store.get(cid, options),
      has: (cid) => store.has(cid),
      size: (cid) => store.size(cid),
      putMany: async (blocks, options) => {
        await store.putMany(blocks, options);
        this.#add(blocks.map(({ cid }) => cid));
      },
      sync: async () => {
        const written = this.#count;
        await store.sync();
        // Blocks that were written meanwhile wait for their own `sync`.
        if (this.#count === written) this.#flush();
      },
      delete: (cid) => store.delete(cid),
      keys: (options) => store.keys(options),
      stats: () => store.stats(),
      close: async () => {
        clearTimeout(this.#timer);
        await store.close();
      },
    };
  }

  #add(cids: readonly CID[]): void {
    this.#count += cids.length;
    for (const cid of cids) this.#waiting.push(cid);
    // Cut at twice the limit, so that a batch does not copy the list each time.
    if (this.#waiting.length > 2 * waitingMax) this.#waiting.splice(0, this.#waiting.length - waitingMax);
    this.#timer ??= setTimeout(() => this.#flush(), delayMs).unref();
  }

  #flush(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const cids = this.#waiting;
    this.#waiting = [];
    if (cids.length > 0) this.#announce(cids);
  }
}
