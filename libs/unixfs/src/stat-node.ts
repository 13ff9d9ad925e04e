import type { Blockstore, ReadOptions } from '@cairn/blockstore/core';
import type { CID } from '@cairn/cid';
import { readNode } from './node.ts';
import type { UnixfsMetadata } from './unixfs-data.ts';

/** What a path names. */
export interface NodeStat extends UnixfsMetadata {
  readonly cid: CID;
  readonly type: 'file' | 'directory' | 'symlink';
  /** Length of the content in bytes: of a symlink, that of its target; 0 for directories. */
  readonly fileSize: number;
  /** Size of the whole DAG in bytes, as its nodes declare it: Kubo's `CumulativeSize`. */
  readonly dagSize: number;
  /** Blocks directly below this one. */
  readonly blocks: number;
  /** Where a symlink points; never followed here. */
  readonly target?: string;
}

const decoder = new TextDecoder();

/** Describes a node by its root block alone. @throws BLOCK_NOT_FOUND, BLOCK_CORRUPT, DAG_INVALID */
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
