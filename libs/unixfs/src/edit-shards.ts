import type { Blockstore, ReadOptions } from '@cairn/blockstore/core';
import { type PbLink, renamedLink } from './dag-pb.ts';
import { InvalidNodeError, LinkNotFoundError } from './errors.ts';
import { readNode, type UnixfsNode } from './node.ts';
import { hashOfName, type ShardSlot, shardDepthMax, slotOf, slotPrefix, slotsOf } from './shard.ts';
import { type Placed, type ShardContext, writeShard, writeShardNode } from './write-shards.ts';

export interface ShardEdit extends ShardContext, ReadOptions {
  readonly store: Pick<Blockstore, 'get'>;
}

/** Puts an entry below a shard and gives the link to the shard that takes its place; writes the shards on the way only. */
export async function setInShard(shard: UnixfsNode, entry: Placed, depth: number, edit: ShardEdit): Promise<PbLink> {
  const { slots, slot, found } = look(shard, entry.hash, depth, edit);
  let changed: ShardSlot;
  if (found === undefined || found.name === entry.link.name) {
    changed = { slot, name: entry.link.name, link: entry.link };
  } else if (found.name === undefined) {
    const below = await readShard(found.link, edit);
    changed = { slot, name: undefined, link: await setInShard(below, entry, depth + 1, edit) };
  } else {
    const there = { hash: hashOfName(found.name), link: renamedLink(found.link, found.name) };
    changed = { slot, name: undefined, link: await writeShard([there, entry], depth + 1, edit) };
  }
  return write([...slots.filter((other) => other.slot !== slot), changed], depth, edit);
}

/**
 * Takes an entry from below a shard and gives what takes the shard's place: the link to another shard; or, below the
 * root, the last entry left, which moves up; or nothing.
 */
export async function removeFromShard(
  shard: UnixfsNode,
  { hash, name }: { readonly hash: bigint; readonly name: string },
  depth: number,
  edit: ShardEdit,
): Promise<Omit<ShardSlot, 'slot'> | undefined> {
  const { slots, slot, found } = look(shard, hash, depth, edit);
  const others = slots.filter((other) => other.slot !== slot);
  let left = others;
  if (found?.name === undefined) {
    if (found === undefined) throw new LinkNotFoundError(name, shard.cid.toString());
    const below = await removeFromShard(await readShard(found.link, edit), { hash, name }, depth + 1, edit);
    if (below !== undefined) left = [...others, { slot, ...below }];
  } else if (found.name !== name) throw new LinkNotFoundError(name, shard.cid.toString());
  const [only] = left;
  if (depth > 0 && only === undefined) return undefined;
  if (depth > 0 && left.length === 1 && only?.name !== undefined) return { name: only.name, link: only.link };
  return { name: undefined, link: await write(left, depth, edit) };
}

function look(shard: UnixfsNode, hash: bigint, depth: number, { fanout }: ShardEdit) {
  if (depth >= shardDepthMax(fanout)) {
    throw new InvalidNodeError(shard.cid.toString(), 'its trie is deeper than the hash of a name');
  }
  const slots = slotsOf(shard).map((each) =>
    each.name === undefined ? each : { ...each, link: renamedLink(each.link, each.name) },
  );
  const slot = slotOf(hash, depth, fanout);
  return { slots, slot, found: slots.find((each) => each.slot === slot) };
}

async function readShard(link: PbLink, { store, fanout, signal }: ShardEdit): Promise<UnixfsNode> {
  const shard = await readNode(store, link.cid, signal ? { signal } : {});
  if (shard.type !== 'hamt-sharded-directory' || shard.fanout !== fanout) {
    throw new InvalidNodeError(shard.cid.toString(), 'it is no part of the sharded directory that links to it');
  }
  return shard;
}

function write(slots: readonly ShardSlot[], depth: number, edit: ShardEdit): Promise<PbLink> {
  const ordered = [...slots].sort((a, b) => a.slot - b.slot);
  const links = ordered.map(({ slot, name = '', link }) => renamedLink(link, slotPrefix(slot, edit.fanout) + name));
  return writeShardNode(
    links,
    ordered.map(({ slot }) => slot),
    depth,
    edit,
  );
}
