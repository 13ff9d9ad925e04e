import type { Blockstore, ReadOptions } from '@cairn/blockstore/core';
import { CID } from '@cairn/cid';
import { isCairnError } from '@cairn/errors';
import { type ContentPath, decodeNode, decodePbNode, findEntry, LinkNotFoundError, type PbNode } from '@cairn/unixfs';
import { PathLookupError, UndecodableError } from './errors.ts';
import { type IpldValue, kindOf } from './ipld-value.ts';
import { pbFieldsNode } from './pb-fields-node.ts';
import { blockCodecOf, readValue } from './transcode.ts';

/** One step of a path: the next block, or a place within the same one. */
export type PathStep =
  | { readonly link: CID; readonly node?: undefined }
  | { readonly link?: undefined; readonly node: PathNode };

/** A place that a path has reached: a block, or a value within one. */
export interface PathNode {
  /** Finds the value under a name. @throws LINK_NOT_FOUND, PATH_LOOKUP_FAILED, in the words of go-ipld-prime and boxo */
  lookup(name: string): Promise<PathStep>;
}

/** Reads the block of a CID as a place. A dag-pb block under `ipfs` is a directory, or a file, which has no names. */
export async function blockNode(
  store: Pick<Blockstore, 'get'>,
  cid: CID,
  namespace: ContentPath['namespace'],
  options: ReadOptions,
): Promise<PathNode> {
  const bytes = await store.get(cid, options);
  const codec = blockCodecOf(cid);
  if (codec === 'dag-pb' && namespace !== 'ipld') return directoryNode(store, cid, bytes, options);
  return codec === 'dag-pb' ? pbFieldsNode(cid, bytes) : valueNode(readValue(codec, bytes, `Block ${cid}`));
}

/** A value of the IPLD data model. */
function valueNode(value: IpldValue): PathNode {
  return {
    lookup: async (name) => {
      const child = childOf(value, name);
      return child instanceof CID ? { link: child } : { node: valueNode(child) };
    },
  };
}

/** Finds the value under a name of a list or map. @throws PATH_LOOKUP_FAILED */
export function childOf(value: IpldValue, name: string): IpldValue {
  if (Array.isArray(value)) return value[indexOf(name, value.length)];
  if (value instanceof Map) {
    const found: IpldValue | undefined = value.get(name);
    if (found !== undefined) return found;
    throw new PathLookupError(`key not found: ${JSON.stringify(name)}`);
  }
  const kind = kindOf(value);
  throw wrongKind(kind, kind);
}

/** Reads an index as Go's strconv.ParseInt does, so that "01" and "+1" are 1. @throws PATH_LOOKUP_FAILED */
export function indexOf(name: string, length: number, type = ''): number {
  if (!/^[+-]?\d+$/.test(name)) {
    const quoted = JSON.stringify(name);
    const reason = `strconv.ParseInt: parsing ${quoted}: invalid syntax`;
    throw new PathLookupError(`invalid segment for lookup on a list${type}: ${quoted}: ${reason}`);
  }
  const index = Number(name);
  // go-ipld-prime names no index that is negative.
  if (index < 0 || index >= length) throw new PathLookupError(`key not found: "${index < 0 ? '' : index}"`);
  return index;
}

/** A dag-pb block as UnixFS: the entries of a directory; of what is no UnixFS, the names of its links. */
function directoryNode(store: Pick<Blockstore, 'get'>, cid: CID, bytes: Uint8Array, options: ReadOptions): PathNode {
  const node = unixfsNode(cid, bytes);
  const links = node === undefined ? decodePb(cid, bytes).links : node.links;
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

/** Decodes a dag-pb node that need not be UnixFS. @throws DAG_INVALID */
export function decodePb(cid: CID, bytes: Uint8Array): PbNode {
  try {
    return decodePbNode(bytes);
  } catch (error) {
    throw new UndecodableError(`Block ${cid}`, 'dag-pb', error);
  }
}

/** The block as UnixFS; undefined for a dag-pb node that is none, whose links have names all the same. */
function unixfsNode(cid: CID, bytes: Uint8Array) {
  try {
    return decodeNode(cid, bytes);
  } catch (error) {
    if (!isCairnError(error, 'DAG_INVALID')) throw error;
    return undefined;
  }
}

export function wrongKind(kind: string, type: string): PathLookupError {
  return new PathLookupError(
    `func called on wrong kind: "LookupBySegment" called on a ${type} node (kind: ${kind}), but only makes sense on map or list`,
  );
}
