import type { Blockstore, ReadOptions } from '@cairn/blockstore/core';
import { type PbLink, renamedLink } from './dag-pb.ts';
import { InvalidNodeError, LinkNotFoundError } from './errors.ts';
import { readNode, type UnixfsNode } from './node.ts';
import { childrenOf, hashOfName, positionOf, positionPrefix, type ShardChild, shardDepthMax } from './shard.ts';
import { type HashedEntry, type ShardContext, writeShard, writeShardNode } from './write-shards.ts';

export interface ShardEdit extends ShardContext, ReadOptions {
  readonly store: Pick<Blockstore, 'get'>;
}

/** Adds an entry below a shard and returns the link to the new shard. Writes only the shards on the path to the entry. */
export async function setInShard(
  shard: UnixfsNode,
  entry: HashedEntry,
  depth: number,
  edit: ShardEdit,
): Promise<PbLink> {
  const { children, position, found } = findChild(shard, entry.hash, depth, edit);
  let changed: ShardChild;
  if (found === undefined || found.name === entry.link.name) {
    changed = { position, name: entry.link.name, link: entry.link };
  } else if (found.name === undefined) {
    const below = await readShard(found.link, edit);
    changed = { position, name: undefined, link: await setInShard(below, entry, depth + 1, edit) };
  } else {
    const there = { hash: hashOfName(found.name), link: renamedLink(found.link, found.name) };
    changed = { position, name: undefined, link: await writeShard([there, entry], depth + 1, edit) };
  }
  return write([...children.filter((other) => other.position !== position), changed], depth, edit);
}

/**
 * Removes an entry below a shard and returns the replacement of the shard: a link to another shard; below the root, the
 * single remaining entry, which moves up; or nothing.
 */
export async function removeFromShard(
  shard: UnixfsNode,
  { hash, name }: { readonly hash: bigint; readonly name: string },
  depth: number,
  edit: ShardEdit,
): Promise<Omit<ShardChild, 'position'> | undefined> {
  const { children, position, found } = findChild(shard, hash, depth, edit);
  const others = children.filter((other) => other.position !== position);
  let left = others;
  if (found?.name === undefined) {
    if (found === undefined) throw new LinkNotFoundError(name, shard.cid.toString());
    const below = await removeFromShard(await readShard(found.link, edit), { hash, name }, depth + 1, edit);
    if (below !== undefined) left = [...others, { position, ...below }];
  } else if (found.name !== name) throw new LinkNotFoundError(name, shard.cid.toString());
  const [only] = left;
  if (depth > 0 && only === undefined) return undefined;
  if (depth > 0 && left.length === 1 && only?.name !== undefined) return { name: only.name, link: only.link };
  return { name: undefined, link: await write(left, depth, edit) };
}

function findChild(shard: UnixfsNode, hash: bigint, depth: number, { fanout }: ShardEdit) {
  if (depth >= shardDepthMax(fanout)) {
    throw new InvalidNodeError(shard.cid.toString(), 'its trie is deeper than the hash of a name');
  }
  const children = childrenOf(shard).map((each) =>
    each.name === undefined ? each : { ...each, link: renamedLink(each.link, each.name) },
  );
  const position = positionOf(hash, depth, fanout);
  return { children, position, found: children.find((each) => each.position === position) };
}

async function readShard(link: PbLink, { store, fanout, signal }: ShardEdit): Promise<UnixfsNode> {
  const shard = await readNode(store, link.cid, signal ? { signal } : {});
  if (shard.type !== 'hamt-sharded-directory' || shard.fanout !== fanout) {
    throw new InvalidNodeError(
      shard.cid.toString(),
      'its type or fanout differs from the sharded directory that links to it',
    );
  }
  return shard;
}

function write(children: readonly ShardChild[], depth: number, edit: ShardEdit): Promise<PbLink> {
  const ordered = [...children].sort((a, b) => a.position - b.position);
  const links = ordered.map(({ position, name = '', link }) =>
    renamedLink(link, positionPrefix(position, edit.fanout) + name),
  );
  return writeShardNode(
    links,
    ordered.map(({ position }) => position),
    depth,
    edit,
  );
}
