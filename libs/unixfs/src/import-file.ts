// The hot path of every upload; import-file.bench.ts measures it against the bare hash function.
import type { Block, Blockstore } from '@cairn/blockstore';
import { type CID, cidFor } from '@cairn/cid';
import { chunksOf, parseChunker } from './chunker.ts';
import { encodePbNode, type PbLink } from './dag-pb.ts';
import { InvalidOptionError } from './errors.ts';
import { encodeUnixfsData } from './unixfs-data.ts';

export interface ImportOptions {
  /** Default 0, or 1 where another option asks for it. */
  readonly cidVersion?: 0 | 1;
  /** Leaves as raw blocks rather than UnixFS nodes. Default: true with CID version 1, else false. */
  readonly rawLeaves?: boolean;
  /** Kubo's notation, `size-<bytes>`. Default `size-262144`. */
  readonly chunker?: string;
  /** Name of a hash function. Default `sha2-256`. */
  readonly hash?: string;
  /** Links of a node at most. Default 174, as in Kubo. */
  readonly fileLinksMax?: number;
  readonly signal?: AbortSignal;
  /** Told the number of bytes taken so far, after each chunk. */
  readonly onProgress?: (bytes: number) => void;
}

export interface ImportResult {
  readonly cid: CID;
  /** Size of the whole DAG in bytes: Kubo's `Size`. A block that occurs twice counts twice. */
  readonly dagSize: number;
  /** Length of the content in bytes. */
  readonly fileSize: number;
}

/** A finished subtree: the link to it, and how much of the file it holds. */
interface Subtree {
  readonly link: PbLink;
  readonly fileSize: number;
}

const defaultFileLinksMax = 174;
const batchBytes = 2 * 1024 * 1024;

/**
 * Writes a stream as a UnixFS file in Kubo's balanced layout; the CID equals Kubo's for the same options.
 *
 * Memory stays constant: one batch of blocks and one row of links per level of the tree. Blocks are given to the store
 * as they are made; **not** durable before `store.sync()`. The CIDs are computed here, so the store need not hash again.
 * @throws OPTION_INVALID, HASH_UNSUPPORTED, what the source and the store throw, the reason of the signal
 */
export async function importFile(
  source: AsyncIterable<Uint8Array>,
  store: Pick<Blockstore, 'putMany'>,
  options: ImportOptions = {},
): Promise<ImportResult> {
  const layout = new BalancedLayout(store, options);
  const chunkBytes = parseChunker(options.chunker ?? 'default');
  let taken = 0;
  for await (const chunk of chunksOf(source, chunkBytes)) {
    options.signal?.throwIfAborted();
    await layout.addLeaf(chunk);
    taken += chunk.length;
    options.onProgress?.(taken);
  }
  if (taken === 0) await layout.addLeaf(new Uint8Array(0));
  const { link, fileSize } = await layout.finish();
  return { cid: link.cid, dagSize: link.tsize, fileSize };
}

/** Builds the tree from left to right: a full row of links becomes a node of the next level. */
class BalancedLayout {
  readonly #store: Pick<Blockstore, 'putMany'>;
  readonly #cidVersion: 0 | 1;
  readonly #rawLeaves: boolean;
  readonly #hash: string;
  readonly #linksMax: number;
  readonly #levels: Subtree[][] = [[]];
  #batch: Block[] = [];
  #batchBytes = 0;

  constructor(store: Pick<Blockstore, 'putMany'>, options: ImportOptions) {
    this.#store = store;
    this.#hash = options.hash ?? 'sha2-256';
    if (options.cidVersion === 0 && this.#hash !== 'sha2-256') {
      throw new InvalidOptionError('cid-version', `CIDs of version 0 use sha2-256 only, not ${this.#hash}`);
    }
    this.#cidVersion = options.cidVersion ?? (this.#hash === 'sha2-256' ? 0 : 1);
    this.#rawLeaves = options.rawLeaves ?? this.#cidVersion === 1;
    this.#linksMax = options.fileLinksMax ?? defaultFileLinksMax;
    if (!Number.isInteger(this.#linksMax) || this.#linksMax < 2 || this.#linksMax > 8192) {
      throw new InvalidOptionError('max-file-links', `expected 2 to 8192, not ${this.#linksMax}`);
    }
  }

  async addLeaf(chunk: Uint8Array): Promise<void> {
    const leaf = this.#rawLeaves
      ? { cid: cidFor(chunk, { codec: 'raw', hash: this.#hash }), bytes: chunk }
      : this.#pbBlock(
          [],
          encodeUnixfsData({ type: 'file', data: chunk.length > 0 ? chunk : undefined, fileSize: chunk.length }),
        );
    await this.#put(leaf);
    await this.#add(0, { link: { cid: leaf.cid, name: '', tsize: leaf.bytes.length }, fileSize: chunk.length });
  }

  async #add(level: number, subtree: Subtree): Promise<void> {
    let at = level;
    let current = subtree;
    while (true) {
      const row = this.#levels[at] ?? [];
      this.#levels[at] = row;
      row.push(current);
      if (row.length < this.#linksMax) return;
      current = await this.#closeRow(at);
      at++;
    }
  }

  async #closeRow(level: number): Promise<Subtree> {
    const row = this.#levels[level] ?? [];
    this.#levels[level] = [];
    const blockSizes = row.map(({ fileSize }) => fileSize);
    const fileSize = blockSizes.reduce((sum, size) => sum + size, 0);
    const links = row.map(({ link }) => link);
    const block = this.#pbBlock(links, encodeUnixfsData({ type: 'file', fileSize, blockSizes }));
    await this.#put(block);
    const tsize = links.reduce((sum, link) => sum + link.tsize, block.bytes.length);
    return { link: { cid: block.cid, name: '', tsize }, fileSize };
  }

  /** Closes the open rows from the bottom up and gives the last block to the store. */
  async finish(): Promise<Subtree> {
    for (let level = 0; ; level++) {
      const row = this.#levels[level] ?? [];
      const [first] = row;
      const isTop = this.#levels.slice(level + 1).every((above) => above.length === 0);
      if (isTop && row.length === 1 && first !== undefined) {
        await this.#flush();
        return first;
      }
      if (row.length > 0) await this.#add(level + 1, await this.#closeRow(level));
    }
  }

  #pbBlock(links: readonly PbLink[], data: Uint8Array): Block {
    const bytes = encodePbNode({ links, data });
    return { cid: cidFor(bytes, { codec: 'dag-pb', hash: this.#hash, version: this.#cidVersion }), bytes };
  }

  async #put(block: Block): Promise<void> {
    this.#batch.push(block);
    this.#batchBytes += block.bytes.length;
    if (this.#batchBytes >= batchBytes) await this.#flush();
  }

  async #flush(): Promise<void> {
    if (this.#batch.length === 0) return;
    const batch = this.#batch;
    this.#batch = [];
    this.#batchBytes = 0;
    await this.#store.putMany(batch);
  }
}
