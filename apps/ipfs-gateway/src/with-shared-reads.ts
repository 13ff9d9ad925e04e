import type { Blockstore, Collectable } from '@cairn/blockstore';
import type { CID } from '@cairn/cid';

/** Blocks that may be found again while something holds them. */
const blocksMax = 4096;

export interface SharedReadsOptions {
  readonly removals: Pick<Collectable, 'onRemoved'>;
  /** Reports whether bytes are shared beyond concurrent reads. Weakly held ones are freed late, which costs much CPU time. */
  readonly isSharing: () => boolean;
}

/**
 * Returns the same bytes to all readers of a block, as long as one of them holds them. Many slow readers of a file then hold
 * each block once, and it is verified once. The cache of blocks is for small ones: this holds no memory.
 */
export function withSharedReads(store: Blockstore, { removals, isSharing }: SharedReadsOptions): Blockstore {
  // A reader may hold a part of the bytes only, which keeps their buffer.
  const held = new Map<string, SharedBytes>();
  const reads = new Map<string, Promise<Uint8Array>>();
  // A read that began before a removal must not be shared after it.
  let removedSoFar = 0;
  const forget = (cid: CID) => {
    removedSoFar++;
    const key = keyOf(cid);
    held.delete(key);
    reads.delete(key);
  };
  removals.onRemoved((cids) => cids.forEach(forget));
  const read: Blockstore['get'] = async (cid, options) => {
    const key = keyOf(cid);
    const before = removedSoFar;
    const reading = store.get(cid, options);
    reads.set(key, reading);
    try {
      const bytes = await reading;
      if (removedSoFar !== before || !isSharing()) return bytes;
      // A map is in the order of insertion: the first entry is the oldest.
      held.delete(key);
      held.set(key, new SharedBytes(bytes));
      for (const oldest of held.keys()) {
        if (held.size <= blocksMax) break;
        held.delete(oldest);
      }
      return bytes;
    } finally {
      if (reads.get(key) === reading) reads.delete(key);
    }
  };
  return {
    ...methodsOf(store),
    async get(cid, options) {
      // A buffer that is used again belongs to one reader.
      if (options?.buffers !== undefined && !isSharing()) return await store.get(cid, options);
      const { buffers: _, ...reading } = options ?? {};
      const key = keyOf(cid);
      const shared = held.get(key)?.bytes;
      options?.signal?.throwIfAborted();
      if (shared !== undefined) return shared;
      // The other reader may have gone away, which ends its read.
      const other = reads.get(key);
      if (other === undefined) return await read(cid, reading);
      const bytes = await other.catch(() => undefined);
      options?.signal?.throwIfAborted();
      return bytes ?? (await read(cid, reading));
    },
    async delete(cid) {
      forget(cid);
      await store.delete(cid);
      forget(cid);
    },
  };
}

/** Bytes as long as something holds their buffer. */
class SharedBytes {
  readonly #buffer: WeakRef<ArrayBufferLike>;
  readonly #start: number;
  readonly #length: number;

  constructor({ buffer, byteOffset, length }: Uint8Array) {
    this.#buffer = new WeakRef(buffer);
    this.#start = byteOffset;
    this.#length = length;
  }

  get bytes(): Uint8Array | undefined {
    const buffer = this.#buffer.deref();
    return buffer && new Uint8Array(buffer, this.#start, this.#length);
  }
}

function methodsOf(store: Blockstore): Omit<Blockstore, 'get' | 'delete'> {
  return {
    has: (cid) => store.has(cid),
    size: (cid) => store.size(cid),
    putMany: (blocks, options) => store.putMany(blocks, options),
    sync: () => store.sync(),
    keys: (options) => store.keys(options),
    stats: () => store.stats(),
    close: () => store.close(),
  };
}

function keyOf(cid: CID): string {
  return Buffer.from(cid.multihash.bytes).toString('latin1');
}
