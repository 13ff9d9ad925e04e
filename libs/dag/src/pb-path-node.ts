import type { Blockstore, ReadOptions } from '@cairn/blockstore/core';
import type { CID } from '@cairn/cid';
import { isCairnError } from '@cairn/errors';
import { type ContentPath, decodeNode, findEntry, LinkNotFoundError } from '@cairn/unixfs';
import { PathLookupError } from './errors.ts';
import { wrongKind } from './path-errors.ts';
import { type PathNode, readPb } from './path-node.ts';
import { pbFieldsNode } from './pb-fields-node.ts';

/** Returns the position of a dag-pb block under `ipfs`: a directory, or a file without names. */
export async function pbPathNode(
  store: Pick<Blockstore, 'get'>,
  cid: CID,
  bytes: Uint8Array,
  { namespace, options }: { readonly namespace: ContentPath['namespace']; readonly options: ReadOptions },
): Promise<PathNode> {
  return namespace === 'ipld'
    ? await pbFieldsNode(cid, bytes, options)
    : await directoryNode(store, cid, bytes, options);
}

/** Returns a dag-pb block as UnixFS: the entries of a directory, or the named links of a node that is not UnixFS. */
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

/** Decodes a block as UnixFS. Returns undefined for a dag-pb node without UnixFS data, whose links still have names. */
async function unixfsNode(cid: CID, bytes: Uint8Array, options: ReadOptions) {
  try {
    return await decodeNode(cid, bytes, options);
  } catch (error) {
    if (!isCairnError(error, 'DAG_INVALID')) throw error;
    return undefined;
  }
}
