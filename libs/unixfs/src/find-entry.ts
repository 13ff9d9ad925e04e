import type { Blockstore, ReadOptions } from '@cairn/blockstore/core';
import { type PbLink, renamedLink } from './dag-pb.ts';
import { InvalidNodeError } from './errors.ts';
import { readNode, type UnixfsNode } from './node.ts';
import { childrenOf, hashOfName, positionOf, shardDepthMax } from './shard.ts';

/**
 * Finds the entry of a name in a plain or sharded directory. Returns `undefined` if there is none, or if the node is not a
 * directory. In a sharded directory it reads only the shards on the path to the name.
 * @throws BLOCK_NOT_FOUND, BLOCK_CORRUPT, DAG_INVALID, the reason of the signal
 */
export async function findEntry(
  store: Pick<Blockstore, 'get'>,
  directory: UnixfsNode,
  name: string,
  options: ReadOptions = {},
): Promise<PbLink | undefined> {
  if (directory.type === 'directory') return directory.links.find((link) => link.name === name);
  if (directory.type !== 'hamt-sharded-directory') return undefined;
  const hash = hashOfName(name);
  const { fanout = 0 } = directory;
  let shard = directory;
  for (let depth = 0; ; depth++) {
    const children = childrenOf(shard);
    if (shard.fanout !== fanout || depth >= shardDepthMax(fanout)) {
      throw new InvalidNodeError(
        shard.cid.toString(),
        'its type or fanout differs from the sharded directory that links to it',
      );
    }
    const wanted = positionOf(hash, depth, fanout);
    const found = children.find(({ position }) => position === wanted);
    if (found === undefined) return undefined;
    if (found.name !== undefined) return found.name === name ? renamedLink(found.link, name) : undefined;
    shard = await readNode(store, found.link.cid, options);
  }
}
