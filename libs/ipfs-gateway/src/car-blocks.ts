import type { Block, Blockstore } from '@cairn/blockstore/core';
import { type CID, codecs } from '@cairn/cid';
import { CidList, cidKey, linksOf } from '@cairn/pinning';
import { decodeNode, readNode, type UnixfsNode } from '@cairn/unixfs';
import type { CarParams, EntityBytes } from './car-params.ts';
import { isIdentity } from './identity-blocks.ts';
import { limits } from './limits.ts';

/** Source of the blocks of a CAR. */
export interface Walk {
  readonly blocks: Pick<Blockstore, 'get'>;
  readonly signal?: AbortSignal | undefined;
}

/** Yields the blocks below a CID that a scope names, depth first and in the order of the links. */
export async function* scopeBlocks(walk: Walk, cid: CID, { scope, bytes }: CarParams): AsyncGenerator<Block> {
  if (scope === 'all') yield* allBlocks(walk, cid);
  else if (scope === 'block' || !isUnixfsCodec(cid)) yield await readBlock(walk, cid);
  else yield* entityBlocks(walk, cid, bytes);
}

/** Leaves out blocks that were yielded before, and blocks of identity CIDs, which readers have already. */
export async function* withoutRepeats(source: AsyncIterable<Block>, keepsDuplicates: boolean): AsyncGenerator<Block> {
  const seen = new Set<string>();
  for await (const block of source) {
    if (isIdentity(block.cid)) continue;
    if (!keepsDuplicates) {
      const key = cidKey(block.cid.bytes);
      if (seen.has(key)) continue;
      if (seen.size < limits.rememberedCidsMax) seen.add(key);
    }
    yield block;
  }
}

function isUnixfsCodec({ code }: CID): boolean {
  return code === codecs.raw || code === codecs['dag-pb'];
}

/** Reads one block of a walk. */
export async function readBlock({ blocks, signal }: Walk, cid: CID): Promise<Block> {
  signal?.throwIfAborted();
  return { cid, bytes: await blocks.get(cid, signal === undefined ? {} : { signal }) };
}

async function* allBlocks(walk: Walk, root: CID): AsyncGenerator<Block> {
  const open = new CidList();
  open.push(root.bytes);
  for (let cid = open.pop(); cid !== undefined; cid = open.pop()) {
    const block = await readBlock(walk, cid);
    yield block;
    const links = await linksOf(cid, block.bytes);
    if (open.length + links.length > limits.openCidsMax) throw new RangeError(`the DAG under ${root} is too wide`);
    for (let index = links.length - 1; index >= 0; index--) open.push(links.bytesAt(index));
  }
}

/** Blocks of one file within a range, or of one directory without its entries. */
async function* entityBlocks(walk: Walk, cid: CID, range: EntityBytes | undefined): AsyncGenerator<Block> {
  const block = await readBlock(walk, cid);
  yield block;
  const node = await decodeNode(cid, block.bytes, walk.signal === undefined ? {} : { signal: walk.signal });
  if (node.type === 'hamt-sharded-directory') yield* shardBlocks(walk, node, 0);
  if (node.type !== 'file' && node.type !== 'raw') return;
  const size = node.fileSize;
  const from = range === undefined ? 0 : range.from < 0 ? Math.max(size + range.from, 0) : range.from;
  const to = range?.to === undefined ? size - 1 : range.to < 0 ? size + range.to : range.to;
  if (from <= to) yield* fileBlocks(walk, node, from, to, 0);
}

/** Levels of a file or shard that are followed. */
const depthMax = 64;

async function* fileBlocks(
  walk: Walk,
  node: UnixfsNode,
  from: number,
  to: number,
  depth: number,
): AsyncGenerator<Block> {
  if (depth > depthMax) throw new RangeError(`the file ${node.cid} is more than ${depthMax} levels deep`);
  let start = node.data.length;
  for (const [index, link] of node.links.entries()) {
    const size = node.blockSizes[index] ?? 0;
    const isWithin = start <= to && start + size > from;
    if (isWithin) {
      const block = await readBlock(walk, link.cid);
      yield block;
      if (link.cid.code !== codecs.raw)
        yield* fileBlocks(walk, await decodeNode(link.cid, block.bytes), from - start, to - start, depth + 1);
    }
    start += size;
  }
}

async function* shardBlocks(walk: Walk, shard: UnixfsNode, depth: number): AsyncGenerator<Block> {
  if (depth > depthMax) throw new RangeError(`the directory ${shard.cid} is more than ${depthMax} levels deep`);
  const options = walk.signal === undefined ? {} : { signal: walk.signal };
  const prefix = ((shard.fanout ?? 0) - 1).toString(16).length;
  for (const { name, cid } of shard.links) {
    // A name of the length of the prefix leads to a shard, a longer one to an entry.
    if (name.length !== prefix) continue;
    yield await readBlock(walk, cid);
    yield* shardBlocks(walk, await readNode(walk.blocks, cid, options), depth + 1);
  }
}
