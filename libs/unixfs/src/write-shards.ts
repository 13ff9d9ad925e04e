import type { Slices } from '@cairn/blockstore/core';
import { type BlockBatchWriter, linkTo } from './block-batch-writer.ts';
import { type PbLink, renamedLink } from './dag-pb.ts';
import { InvalidOptionError } from './errors.ts';
import { bitfieldOf, hashOfName, positionOf, positionPrefix, shardDepthMax, shardHashCode } from './shard.ts';
import { encodeUnixfsData, type UnixfsMetadata } from './unixfs-data.ts';

/** Entry with the hash of its name. */
export interface HashedEntry {
  readonly hash: bigint;
  readonly link: PbLink;
}

/**
 * Writes entries as a hash array mapped trie and returns the link to its root. The result does not depend on the order of
 * the entries. Only the root carries metadata.
 */
export async function writeShards(entries: readonly PbLink[], context: ShardContext): Promise<PbLink> {
  const placed: HashedEntry[] = [];
  for (const link of entries) {
    placed.push({ hash: hashOfName(link.name), link });
    if (placed.length % linksPerStep === 0) await context.slices?.step();
  }
  return await writeShard(placed, 0, context);
}

const linksPerStep = 64;

export interface ShardContext {
  readonly writer: BlockBatchWriter;
  readonly fanout: number;
  readonly metadata: UnixfsMetadata;
  /** Yields to the event loop during a write of many entries. */
  readonly slices?: Slices;
}

/** Writes the shard at `depth`, where 0 is the root, and the shards below it. */
export async function writeShard(
  placed: readonly HashedEntry[],
  depth: number,
  context: ShardContext,
): Promise<PbLink> {
  const { fanout } = context;
  if (depth >= shardDepthMax(fanout)) {
    throw new InvalidOptionError(
      'name',
      `${placed.length} names have the same murmur3 hash, ${placed
        .slice(0, 2)
        .map(({ link }) => JSON.stringify(link.name.slice(0, 100)))
        .join(' and ')} among them; a sharded directory cannot hold them`,
    );
  }
  const positions = new Map<number, HashedEntry[]>();
  for (const [index, each] of placed.entries()) {
    if (index % linksPerStep === linksPerStep - 1) await context.slices?.step();
    const position = positionOf(each.hash, depth, fanout);
    const there = positions.get(position);
    if (there === undefined) positions.set(position, [each]);
    else there.push(each);
  }
  const taken = [...positions.keys()].sort((a, b) => a - b);
  const links: PbLink[] = [];
  for (const position of taken) {
    const [first, ...others] = positions.get(position) ?? [];
    if (first === undefined) continue;
    const prefix = positionPrefix(position, fanout);
    if (others.length === 0) links.push(renamedLink(first.link, prefix + first.link.name));
    else links.push(renamedLink(await writeShard([first, ...others], depth + 1, context), prefix));
  }
  return writeShardNode(links, taken, depth, context);
}

/** Writes one shard. Its links have their final names, and are in the order of `positions`. */
export async function writeShardNode(
  links: readonly PbLink[],
  positions: readonly number[],
  depth: number,
  { writer, fanout, metadata }: ShardContext,
): Promise<PbLink> {
  const { mode, mtime } = depth === 0 ? metadata : {};
  const data = bitfieldOf(positions, fanout);
  const message = { type: 'hamt-sharded-directory', data, hashType: shardHashCode, fanout, mode, mtime } as const;
  return linkTo(await writer.putNode(links, encodeUnixfsData(message)), links);
}
