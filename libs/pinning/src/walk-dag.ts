import { BlockNotFoundError, type Blockstore, Slices } from '@cairn/blockstore';
import { CID, codecs } from '@cairn/cid';
import { CidList } from './cid-list.ts';
import { DagTooLargeError } from './errors.ts';
import { linksOf } from './links.ts';

/** Size of a complete DAG. A block that occurs twice counts once. */
export interface DagSize {
  readonly blocks: number;
  readonly bytes: number;
}

export interface WalkOptions {
  readonly signal?: AbortSignal;
  /** Called every 256 blocks and at the end with the number of visited blocks. */
  readonly onProgress?: (blocks: number) => void;
  /** Default {@link dagBlocksMax}. */
  readonly blocksMax?: number;
  /**
   * Default `parents-first`: each block after one that links to it, in the order with the least memory.
   * `depth-first`: in the order of the links, each block at its first occurrence, as IPLD traversals do.
   */
  readonly order?: 'parents-first' | 'depth-first';
  /** Protects blocks from collection and resolves to the missing ones (see `Collectable.touchMany`). Default: no call. */
  readonly touchMany?: (cids: readonly CID[]) => Promise<readonly CID[]>;
  /** Length in bytes of a block that has no links; undefined where it is not known. The walk does not read such a block. */
  readonly leafBytes?: (cid: CID) => number | undefined;
  /** Called by {@link walkDag} with the bytes counted so far. An error that it throws ends the walk. */
  readonly onBytes?: (bytes: number) => void;
}

const linksPerStep = 512;

/**
 * Blocks that a walk reads before it touches what they link to, and bytes of nodes after which it reads no more. Each touch may wait
 * for the disk: the shards of a directory of 100,000 files would wait for it one by one. A touched block is stored, so that no read
 * waits for another peer.
 */
const together = { blocks: 128, nodeBytes: 256 * 1024 } as const;

/** Maximum number of blocks in one walk: a terabyte in blocks of 256 KiB. Their names take about 400 MB of memory. */
export const dagBlocksMax = 4_000_000;

/** A block of a DAG. */
export interface VisitedBlock {
  readonly cid: CID;
  /** Length in bytes. */
  readonly bytes: number;
  /** True if the block was visited before with another codec, and so with other links. */
  readonly isRepeated: boolean;
}

/**
 * Visits every block of a DAG once, parents before children, and verifies that it is stored.
 * @throws BLOCK_NOT_FOUND, BLOCK_CORRUPT (from a verified store), CODEC_UNSUPPORTED, DAG_INVALID, DAG_TOO_LARGE
 */
export async function* visitDag(
  store: Pick<Blockstore, 'get' | 'size'>,
  root: CID,
  { signal, onProgress, blocksMax = dagBlocksMax, touchMany, leafBytes, order = 'parents-first' }: WalkOptions = {},
): AsyncGenerator<VisitedBlock> {
  const seen = new Set<string>();
  const seenAs = new Set<string>();
  const open = new CidList();
  /** For each open block: true if it was visited before with another codec. */
  const repeated: boolean[] = [];
  // A raw block has no links, so any visit of it is complete. Other codecs need a key with the codec.
  const isDone = (cid: CID, key: string) => seen.has(key) && (cid.code === codecs.raw || seenAs.has(nodeKey(cid)));
  const see = (cid: CID, key: string): boolean => {
    const { size } = seen;
    seen.add(key);
    if (cid.code !== codecs.raw) seenAs.add(nodeKey(cid));
    return seen.size === size;
  };
  const slices = Slices.of(signal);
  const isDepthFirst = order === 'depth-first';
  const discover = async (cids: CidList) => {
    const found = new CidList();
    const foundRepeated: boolean[] = [];
    // Processes links in batches, since a node may have many.
    for (let at = 0; at < cids.length; at += linksPerStep) {
      const fresh = cids.slice(at, at + linksPerStep).filter((cid) => {
        const key = blockKey(cid);
        if (isDone(cid, key)) return false;
        found.push(cid.bytes);
        foundRepeated.push(!isDepthFirst && see(cid, key));
        return true;
      });
      if (seen.size > blocksMax || open.length + found.length > blocksMax)
        throw new DagTooLargeError(root.toString(), blocksMax);
      const [missing] = (await touchMany?.(fresh.filter(isStored))) ?? [];
      if (missing) throw new BlockNotFoundError(missing.toString());
      signal?.throwIfAborted();
      await slices.step();
    }
    for (let index = found.length - 1; index >= 0; index--) {
      open.push(found.bytesAt(index));
      repeated.push(foundRepeated[index] ?? false);
    }
  };
  const isRawNext = () => open.length > 0 && open.slice(open.length - 1, open.length)[0]?.code === codecs.raw;
  /** Reads the next block, or the next ones, and touches the blocks that they link to. Returns none at the end. */
  const readNext = async (): Promise<OpenedBlock[]> => {
    const read: { readonly cid: CID; readonly isRepeated: boolean; readonly length?: number }[] = [];
    let links: CidList | undefined;
    let bytesRead = 0;
    // In depth-first order the links of a node come before the block after it.
    const mayReadMore = () => (isDepthFirst ? links === undefined && isRawNext() : bytesRead < together.nodeBytes);
    while (read.length === 0 || (touchMany && read.length < together.blocks && mayReadMore())) {
      const cid = open.pop();
      if (cid === undefined) break;
      let isRepeated = repeated.pop() ?? false;
      signal?.throwIfAborted();
      await slices.step();
      if (isDepthFirst) {
        const key = blockKey(cid);
        if (isDone(cid, key)) continue;
        isRepeated = see(cid, key);
      }
      const length = leafBytes?.(cid);
      if (length !== undefined) read.push({ cid, isRepeated, length });
      else if (cid.code === codecs.raw) read.push({ cid, isRepeated });
      else {
        const block = await store.get(cid, signal ? { signal } : {});
        const found = await linksOf(cid, block, slices);
        if (links === undefined) links = found;
        else append(links, found);
        bytesRead += block.length;
        read.push({ cid, isRepeated, length: block.length });
      }
    }
    // Started together, since a store over a network then looks them up with one request.
    const opened = read.map(({ cid, isRepeated, length }) => ({
      cid,
      isRepeated,
      bytes: length ?? handled(store.size(cid)),
    }));
    if (links !== undefined) await discover(links);
    return opened;
  };
  await discover(listOf(root));
  let visited = 0;
  for (let read = await readNext(); read.length > 0; read = await readNext()) {
    for (const { cid, isRepeated, bytes } of read) {
      yield { cid, isRepeated, bytes: typeof bytes === 'number' ? bytes : await bytes };
      visited++;
      if (visited % 256 === 0) onProgress?.(visited);
    }
  }
  onProgress?.(visited);
}

interface OpenedBlock extends Omit<VisitedBlock, 'bytes'> {
  readonly bytes: number | Promise<number>;
}

/** Marks a rejection as handled: the walk reports it when it reaches the block. */
function handled<T>(result: Promise<T>): Promise<T> {
  result.catch(() => undefined);
  return result;
}

function append(list: CidList, cids: CidList): void {
  for (let index = 0; index < cids.length; index++) list.push(cids.bytesAt(index));
}

function listOf(cid: CID): CidList {
  const list = new CidList();
  list.push(cid.bytes);
  return list;
}

/** Walks a DAG to its end and counts it. @throws as {@link visitDag} */
export async function walkDag(
  store: Pick<Blockstore, 'get' | 'size'>,
  root: CID,
  options: WalkOptions = {},
): Promise<DagSize> {
  let blocks = 0;
  let sum = 0;
  for await (const { bytes, isRepeated } of visitDag(store, root, options)) {
    if (isRepeated) continue;
    blocks++;
    sum += bytes;
    options.onBytes?.(sum);
  }
  return { blocks, bytes: sum };
}

/** Returns false for an identity CID, whose block is in the CID and in no store. */
export function isStored(cid: CID): boolean {
  return cid.multihash.code !== 0;
}

/** Returns a key that all CIDs of a block share. */
export function blockKey(cid: CID): string {
  const { bytes } = cid.multihash;
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('latin1');
}

/** Returns the CIDv1 of the raw codec of the block with this {@link blockKey}. */
export function cidOfBlockKey(key: string): CID {
  return CID.decode(Buffer.concat([Buffer.of(1, codecs.raw), Buffer.from(key, 'latin1')]));
}

/** Returns a key that is equal for all CIDs of a block with the same codec. Such CIDs have the same links. */
export function nodeKey(cid: CID): string {
  return `${cid.code} ${blockKey(cid)}`;
}
