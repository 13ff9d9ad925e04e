import type { Slices } from '@cairn/blockstore/core';
import { type BlockWriter, linkTo } from './block-writer.ts';
import { type PbLink, renamedLink } from './dag-pb.ts';
import { InvalidOptionError } from './errors.ts';
import { bitfieldOf, hashOfName, shardDepthMax, shardHashCode, slotOf, slotPrefix } from './shard.ts';
import { encodeUnixfsData, type UnixfsMetadata } from './unixfs-data.ts';

/** An entry with the hash that places it. */
export interface Placed {
  readonly hash: bigint;
  readonly link: PbLink;
}

/**
 * Writes the entries of a directory as a hash array mapped trie and gives the link to its root. The result depends on
 * the entries alone, not on their order. Only the root carries metadata.
 */
export async function writeShards(entries: readonly PbLink[], context: ShardContext): Promise<PbLink> {
  const placed: Placed[] = [];
  for (const link of entries) {
    placed.push({ hash: hashOfName(link.name), link });
    if (placed.length % linksPerStep === 0) await context.slices?.step();
  }
  return await writeShard(placed, 0, context);
}

const linksPerStep = 64;

export interface ShardContext {
  readonly writer: BlockWriter;
  readonly fanout: number;
  readonly metadata: UnixfsMetadata;
  /** Slices of a write of many entries. */
  readonly slices?: Slices;
}

/** Writes the shard at `depth`, where 0 is the root, and those below it. */
export async function writeShard(placed: readonly Placed[], depth: number, context: ShardContext): Promise<PbLink> {
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
  const slots = new Map<number, Placed[]>();
  for (const [index, each] of placed.entries()) {
    if (index % linksPerStep === linksPerStep - 1) await context.slices?.step();
    const slot = slotOf(each.hash, depth, fanout);
    const there = slots.get(slot);
    if (there === undefined) slots.set(slot, [each]);
    else there.push(each);
  }
  const taken = [...slots.keys()].sort((a, b) => a - b);
  const links: PbLink[] = [];
  for (const slot of taken) {
    const [first, ...others] = slots.get(slot) ?? [];
    if (first === undefined) continue;
    const prefix = slotPrefix(slot, fanout);
    if (others.length === 0) links.push(renamedLink(first.link, prefix + first.link.name));
    else links.push(renamedLink(await writeShard([first, ...others], depth + 1, context), prefix));
  }
  return writeShardNode(links, taken, depth, context);
}

/** Writes one shard over its links, which are named and in the order of `slots` already. */
export async function writeShardNode(
  links: readonly PbLink[],
  slots: readonly number[],
  depth: number,
  { writer, fanout, metadata }: ShardContext,
): Promise<PbLink> {
  const { mode, mtime } = depth === 0 ? metadata : {};
  const data = bitfieldOf(slots, fanout);
  const message = { type: 'hamt-sharded-directory', data, hashType: shardHashCode, fanout, mode, mtime } as const;
  return linkTo(await writer.putNode(links, encodeUnixfsData(message)), links);
}
