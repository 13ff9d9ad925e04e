import type { Blockstore, ReadOptions } from '@cairn/blockstore/core';
import type { CID } from '@cairn/cid';
import { readNode } from './node.ts';
import type { UnixfsMetadata } from './unixfs-data.ts';

/** Description of a file, directory or symlink. */
export interface NodeStat extends UnixfsMetadata {
  readonly cid: CID;
  readonly type: 'file' | 'directory' | 'symlink';
  /** Length of the content in bytes; for a symlink that of its target, for directories 0. */
  readonly fileSize: number;
  /** Size of the whole DAG in bytes, as declared by its nodes: Kubo's `CumulativeSize`. */
  readonly dagSize: number;
  /** Number of links of the node. */
  readonly blocks: number;
  /** Target of a symlink. It is never followed. */
  readonly target?: string;
}

const decoder = new TextDecoder();

/** Describes a node from its root block only. @throws BLOCK_NOT_FOUND, BLOCK_CORRUPT, DAG_INVALID */
export async function statNode(store: Pick<Blockstore, 'get'>, cid: CID, options: ReadOptions = {}): Promise<NodeStat> {
  const { type, data, links, fileSize, blockBytes, mode, mtime } = await readNode(store, cid, options);
  const isDirectory = type === 'directory' || type === 'hamt-sharded-directory';
  return {
    cid,
    type: isDirectory ? 'directory' : type === 'symlink' ? 'symlink' : 'file',
    fileSize: type === 'symlink' ? data.length : fileSize,
    dagSize: links.reduce((sum, { tsize }) => sum + tsize, blockBytes),
    blocks: links.length,
    ...(mode !== undefined && { mode }),
    ...(mtime !== undefined && { mtime }),
    ...(type === 'symlink' && { target: decoder.decode(data) }),
  };
}
