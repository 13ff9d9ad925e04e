import type { Blockstore, ReadOptions } from '@cairn/blockstore/core';
import type { CID } from '@cairn/cid';
import { type ContentPath, parsePath } from './content-path.ts';
import { LinkNotFoundError } from './errors.ts';
import { findEntry } from './find-entry.ts';
import { readNode } from './node.ts';

/**
 * Resolves a path through plain and sharded UnixFS directories. Symlinks are not followed, as in Kubo.
 * @throws PATH_INVALID, LINK_NOT_FOUND, BLOCK_NOT_FOUND, BLOCK_CORRUPT, DAG_INVALID
 */
export async function resolvePath(
  store: Pick<Blockstore, 'get'>,
  path: string | ContentPath,
  options: ReadOptions = {},
): Promise<CID> {
  const { cid, segments } = typeof path === 'string' ? parsePath(path) : path;
  let current = cid;
  for (const segment of segments) {
    const node = await readNode(store, current, options);
    const link = await findEntry(store, node, segment, options);
    if (link === undefined) throw new LinkNotFoundError(segment, current.toString());
    current = link.cid;
  }
  return current;
}
