import type { Blockstore } from '@cairn/blockstore';
import { type CID, codecs } from '@cairn/cid';
import { type CidList, cidKey } from './cid-list.ts';

/** Sizes that are read concurrently, so that a store over a network looks them up together. */
const aheadMax = 128;

/** Reads the sizes of raw blocks before a walk reaches them. */
export class SizesAhead {
  readonly #store: Pick<Blockstore, 'size'>;
  readonly #sizes = new Map<string, Promise<number>>();

  constructor(store: Pick<Blockstore, 'size'>) {
    this.#store = store;
  }

  /** Returns the size of a raw block. `next` has the blocks after it, the next one last. @throws BLOCK_NOT_FOUND */
  async of(cid: CID, next: CidList): Promise<number> {
    const key = cidKey(cid.multihash.bytes);
    const known = this.#sizes.get(key);
    if (known !== undefined) {
      this.#sizes.delete(key);
      return await known;
    }
    const size = this.#store.size(cid);
    const after = next.slice(Math.max(0, next.length - aheadMax + 1), next.length).reverse();
    const other = after.findIndex(({ code }) => code !== codecs.raw);
    for (const each of other === -1 ? after : after.slice(0, other)) {
      const ahead = this.#store.size(each);
      // The walk reports a failure when it reaches the block.
      ahead.catch(() => undefined);
      this.#sizes.set(cidKey(each.multihash.bytes), ahead);
    }
    return await size;
  }
}
