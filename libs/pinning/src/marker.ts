import type { Blockstore, Collectable } from '@cairn/blockstore';
import { CID, codecs } from '@cairn/cid';
import { CidList } from './cid-list.ts';
import { linksOf } from './links.ts';
import type { TimeSlicer } from './time-slicer.ts';
import { isStored, nodeKey } from './walk-dag.ts';

const blocksPerWrite = 512;

interface Frame {
  readonly cid: CID;
  /** Links to visit, the next one last. */
  readonly open: CidList;
}

export interface MarkerOptions {
  readonly blocks: Pick<Blockstore, 'get'>;
  readonly collectable: Collectable;
  readonly cycle: number;
  readonly slicer: TimeSlicer;
  readonly signal?: AbortSignal | undefined;
}

/**
 * Marks DAGs depth-first, each block after all blocks below it, and writes marks in that order. All blocks below a marked block
 * are therefore marked too, even after a kill, and a marked block is never visited again.
 */
export class Marker {
  readonly #options: MarkerOptions;
  /** Marked blocks that are not written yet, in order. */
  #batch: CID[] = [];
  #inBatch = new Set<string>();
  #marked = 0;

  constructor(options: MarkerOptions) {
    this.#options = options;
  }

  get marked(): number {
    return this.#marked;
  }

  /** Marks a whole DAG. @throws errors of reading and decoding; the readable blocks are then marked, the root is not */
  async markDag(root: CID): Promise<void> {
    const { blocks, collectable, slicer, signal } = this.#options;
    const frames: Frame[] = [];
    const entered = new Set<string>();
    const enter = async (cid: CID) => {
      const key = nodeKey(cid);
      if (entered.has(key)) return;
      const [length] = (await collectable.leafLengths?.([cid])) ?? [];
      if (length !== undefined) return await this.#mark(cid);
      entered.add(key);
      // Looks up links in batches, since a node may have many.
      const bytes = await blocks.get(cid, signal ? { signal } : {});
      const links = await linksOf(cid, bytes, slicer);
      const open = new CidList();
      for (let end = links.length; end > 0; end -= blocksPerWrite) {
        const unmarked = await this.#unmarked(links.slice(Math.max(0, end - blocksPerWrite), end));
        for (const link of (await this.#markLeaves(unmarked)).reverse()) open.push(link.bytes);
        await slicer.step();
      }
      frames.push({ cid, open });
    };
    if ((await this.#unmarked([root])).length === 0) return;
    if (root.code === codecs.raw) return await this.#mark(root);
    await enter(root);
    for (let frame = frames.at(-1); frame; frame = frames.at(-1)) {
      signal?.throwIfAborted();
      await slicer.step();
      const next = frame.open.pop();
      if (next === undefined) {
        frames.pop();
        entered.delete(nodeKey(frame.cid));
        await this.#mark(frame.cid);
      } else if (this.#inBatch.has(nodeKey(next))) continue;
      else if (next.code === codecs.raw) await this.#mark(next);
      else if ((await this.#unmarked([next])).length > 0) await enter(next);
    }
  }

  /** Marks one block as raw, without the blocks that it links to. */
  async markBlock(cid: CID): Promise<void> {
    await this.#options.slicer.step();
    await this.#mark(CID.createV1(codecs.raw, cid.multihash));
  }

  async #unmarked(cids: readonly CID[]): Promise<CID[]> {
    const { collectable, cycle } = this.#options;
    const unmarked = await collectable.unmarked(cids, cycle);
    return unmarked.filter((cid) => !this.#inBatch.has(nodeKey(cid)));
  }

  /** Marks nodes that are known to have no links. Returns the other blocks, in order. */
  async #markLeaves(cids: readonly CID[]): Promise<CID[]> {
    const { collectable } = this.#options;
    const nodes = cids.filter(({ code }) => code !== codecs.raw);
    if (collectable.leafLengths === undefined || nodes.length === 0) return [...cids];
    const lengths = await collectable.leafLengths(nodes);
    const leaves = new Set(nodes.filter((_, index) => lengths[index] !== undefined));
    for (const leaf of leaves) await this.#mark(leaf);
    return cids.filter((cid) => !leaves.has(cid));
  }

  async #mark(cid: CID): Promise<void> {
    const key = nodeKey(cid);
    if (!isStored(cid) || this.#inBatch.has(key)) return;
    this.#batch.push(cid);
    this.#inBatch.add(key);
    this.#marked++;
    if (this.#batch.length >= blocksPerWrite) await this.flush();
  }

  /** Writes pending marks. */
  async flush(): Promise<void> {
    if (this.#batch.length === 0) return;
    await this.#options.collectable.markMany(this.#batch, this.#options.cycle);
    this.#batch = [];
    this.#inBatch = new Set();
  }
}
