import type { Blockstore, ReadOptions } from '@cairn/blockstore/core';
import type { CID } from '@cairn/cid';
import { type PbLink, renamedLink } from './dag-pb.ts';
import { InvalidNodeError, NotADirectoryError } from './errors.ts';
import { readNode, type UnixfsNode } from './node.ts';
import { childrenOf, hashOfName, positionOf, shardDepthMax } from './shard.ts';

/**
 * Yields the entries of a directory: those of a plain one in its order, those of a sharded one in the order of their
 * hashes. Memory: one node per level of the trie.
 * Every entry must have the position that the hash of its name gives. A small trie that links to the same shard many times
 * is therefore an error, and does not yield billions of entries.
 * @throws NOT_A_DIRECTORY, BLOCK_NOT_FOUND, BLOCK_CORRUPT, DAG_INVALID, the reason of the signal
 */
export async function* listDirectory(
  store: Pick<Blockstore, 'get'>,
  directory: CID | UnixfsNode,
  options: ReadOptions = {},
): AsyncGenerator<PbLink> {
  const node = 'links' in directory ? directory : await readNode(store, directory, options);
  if (node.type === 'hamt-sharded-directory') yield* entriesOf(store, node, [], options);
  else if (node.type === 'directory') yield* node.links;
  else throw new NotADirectoryError(node.cid.toString(), node.type);
}

/** Yields the entries below the shard at `path`, the positions from the root to it. */
async function* entriesOf(
  store: Pick<Blockstore, 'get'>,
  shard: UnixfsNode,
  path: readonly number[],
  options: ReadOptions,
): AsyncGenerator<PbLink> {
  const refuse = (reason: string) => new InvalidNodeError(shard.cid.toString(), reason);
  const children = childrenOf(shard);
  const { fanout = 0 } = shard;
  if (path.length >= shardDepthMax(fanout)) throw refuse('its trie is deeper than the hash of a name');
  if (path.length > 0 && children.length === 0) throw refuse('it is an empty shard within a directory');
  for (const { position, name, link } of children) {
    options.signal?.throwIfAborted();
    const below = [...path, position];
    if (name === undefined) {
      const child = await readNode(store, link.cid, options);
      if (child.type !== 'hamt-sharded-directory' || child.fanout !== fanout) {
        throw refuse(`its position ${position} does not lead to a shard of the same fanout`);
      }
      yield* entriesOf(store, child, below, options);
      continue;
    }
    const hash = hashOfName(name);
    if (below.some((expected, depth) => positionOf(hash, depth, fanout) !== expected)) {
      throw refuse(`the entry ${JSON.stringify(name.slice(0, 100))} is in a place where its hash does not put it`);
    }
    yield renamedLink(link, name);
  }
}
