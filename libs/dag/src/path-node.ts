import type { Blockstore, ReadOptions } from '@cairn/blockstore/core';
import type { CID } from '@cairn/cid';
import { isCairnError } from '@cairn/errors';
import { type ContentPath, decodeNode, findEntry, LinkNotFoundError, type PbNode, readPbNode } from '@cairn/unixfs';
import { PathLookupError, UndecodableError } from './errors.ts';
import { wrongKind } from './path-errors.ts';
import { pbFieldsNode } from './pb-fields-node.ts';

/** One step of a path: the next block, or a place within the same one. */
export type PathStep =
  | { readonly link: CID; readonly node?: undefined }
  | { readonly link?: undefined; readonly node: PathNode };

/** A place that a path has reached: a block, or a value within one. */
export interface PathNode {
  /** Finds the value under a name. @throws LINK_NOT_FOUND, PATH_LOOKUP_FAILED, in the words of go-ipld-prime and boxo */
  lookup(name: string): Promise<PathStep>;
}

/** A dag-pb block as a place. Under `ipfs` it is a directory, or a file, which has no names. */
export async function pbNode(
  store: Pick<Blockstore, 'get'>,
  cid: CID,
  bytes: Uint8Array,
  { namespace, options }: { readonly namespace: ContentPath['namespace']; readonly options: ReadOptions },
): Promise<PathNode> {
  return namespace === 'ipld'
    ? await pbFieldsNode(cid, bytes, options)
    : await directoryNode(store, cid, bytes, options);
}

/** A dag-pb block as UnixFS: the entries of a directory; of what is no UnixFS, the names of its links. */
async function directoryNode(
  store: Pick<Blockstore, 'get'>,
  cid: CID,
  bytes: Uint8Array,
  options: ReadOptions,
): Promise<PathNode> {
  const node = await unixfsNode(cid, bytes, options);
  const links = node === undefined ? (await readPb(cid, bytes, options)).links : node.links;
  return {
    lookup: async (name) => {
      if (node?.type === 'file' || node?.type === 'raw') {
        if (node.links.length > 0)
          throw new PathLookupError(
            'func called on wrong kind: "" called on a INVALID node, but only makes sense on <empty KindSet>',
          );
        throw wrongKind('bytes', node.data.length > 0 ? 'data.Bytes' : 'bytes');
      }
      const isSharded = node?.type === 'hamt-sharded-directory';
      const link = isSharded ? await findEntry(store, node, name, options) : links.find((one) => one.name === name);
      if (link === undefined) throw new LinkNotFoundError(name, cid.toString());
      return { link: link.cid };
    },
  };
}

/** Reads a dag-pb node that need not be UnixFS. @throws DAG_INVALID */
export async function readPb(cid: CID, bytes: Uint8Array, options: ReadOptions): Promise<PbNode> {
  try {
    return await readPbNode(bytes, options);
  } catch (error) {
    throw new UndecodableError(`Block ${cid}`, 'dag-pb', error);
  }
}

/** The block as UnixFS; undefined for a dag-pb node that is none, whose links have names all the same. */
async function unixfsNode(cid: CID, bytes: Uint8Array, options: ReadOptions) {
  try {
    return await decodeNode(cid, bytes, options);
  } catch (error) {
    if (!isCairnError(error, 'DAG_INVALID')) throw error;
    return undefined;
  }
}
