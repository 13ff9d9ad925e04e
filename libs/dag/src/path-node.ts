import type { ReadOptions } from '@cairn/blockstore/core';
import type { CID } from '@cairn/cid';
import { type PbNode, readPbNode } from '@cairn/unixfs';
import { UndecodableError } from './errors.ts';

/** One step of a path: the next block, or a value within the same one. */
export type PathStep =
  | { readonly link: CID; readonly node?: undefined }
  | { readonly link?: undefined; readonly node: PathNode };

/** Position of a path: a block, or a value within one. */
export interface PathNode {
  /** Finds the value of a name. @throws LINK_NOT_FOUND, PATH_LOOKUP_FAILED, with the messages of go-ipld-prime and boxo */
  lookup(name: string): Promise<PathStep>;
}

/** Decodes a dag-pb node that need not be UnixFS. @throws DAG_INVALID */
export async function readPb(cid: CID, bytes: Uint8Array, options: ReadOptions): Promise<PbNode> {
  try {
    return await readPbNode(bytes, options);
  } catch (error) {
    throw new UndecodableError(`Block ${cid}`, 'dag-pb', error);
  }
}
