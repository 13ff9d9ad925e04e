import type { Blockstore, ReadOptions } from '@cairn/blockstore';
import { CID } from '@cairn/cid';
import { isCairnError } from '@cairn/errors';
import { type ContentPath, decodeNode, findEntry, LinkNotFoundError, parsePath } from '@cairn/unixfs';
import { dagCodecOf, decodeDag } from './codecs.ts';

/** Where a path leads. */
export interface ResolvedPath {
  /** The last block on the way. */
  readonly cid: CID;
  /** What is left of the path: a place within that block. Empty when the path leads to the block itself. */
  readonly remainder: readonly string[];
}

/**
 * Follows a path from block to block: names of UnixFS directories, plain and sharded, names of other dag-pb links, and
 * keys and indices within dag-cbor and dag-json (https://ipld.io/docs/data-model/pathing/). Symlinks are not followed.
 * @throws PATH_INVALID, LINK_NOT_FOUND, BLOCK_NOT_FOUND, BLOCK_CORRUPT, DAG_INVALID, CODEC_UNSUPPORTED
 */
export async function resolveDagPath(
  store: Pick<Blockstore, 'get'>,
  path: string | ContentPath,
  options: ReadOptions = {},
): Promise<ResolvedPath> {
  const { cid, segments } = typeof path === 'string' ? parsePath(path) : path;
  let current = cid;
  let open = segments;
  while (open.length > 0) {
    const [name = ''] = open;
    const bytes = await store.get(current, options);
    if (dagCodecOf(current) === 'dag-pb') {
      const link = await linkOf(store, current, bytes, name, options);
      if (link !== undefined) {
        current = link;
        open = open.slice(1);
        continue;
      }
    }
    const found = descend(current, decodeDag(dagCodecOf(current), bytes, `Block ${current}`), open);
    if (found.link === undefined) return { cid: current, remainder: open };
    current = found.link;
    open = found.rest;
  }
  return { cid: current, remainder: [] };
}

/** The block that a path leads to. @throws as {@link resolveDagPath}; LINK_NOT_FOUND where it ends within a block */
export async function resolveToBlock(
  store: Pick<Blockstore, 'get'>,
  path: string | ContentPath,
  options: ReadOptions = {},
): Promise<CID> {
  const { cid, remainder } = await resolveDagPath(store, path, options);
  if (remainder.length > 0) throw new LinkNotFoundError(remainder.join('/'), cid.toString());
  return cid;
}

/** The value at a place within a block. @throws LINK_NOT_FOUND */
export function valueAt(cid: CID, value: unknown, remainder: readonly string[]): unknown {
  let current = value;
  for (const name of remainder) current = child(cid, current, name);
  return current;
}

async function linkOf(
  store: Pick<Blockstore, 'get'>,
  cid: CID,
  bytes: Uint8Array,
  name: string,
  options: ReadOptions,
): Promise<CID | undefined> {
  try {
    const node = decodeNode(cid, bytes);
    const entry = await findEntry(store, node, name, options);
    if (entry !== undefined) return entry.cid;
    if (node.type === 'directory' || node.type === 'hamt-sharded-directory')
      throw new LinkNotFoundError(name, cid.toString());
  } catch (error) {
    // A dag-pb node need not be UnixFS.
    if (!isCairnError(error, 'DAG_INVALID')) throw error;
  }
  const { Links } = decodeDag('dag-pb', bytes, `Block ${cid}`) as { readonly Links: readonly Link[] };
  return CID.asCID(Links.find((link) => link.Name === name)?.Hash) ?? undefined;
}

interface Link {
  readonly Name?: string;
  readonly Hash: unknown;
}

/** Down to the first link on the way, if there is one. */
function descend(
  cid: CID,
  value: unknown,
  segments: readonly string[],
): { readonly link?: CID; readonly rest: readonly string[] } {
  let current = value;
  for (const [index, name] of segments.entries()) {
    current = child(cid, current, name);
    const link = CID.asCID(current);
    if (link) return { link, rest: segments.slice(index + 1) };
  }
  return { rest: [] };
}

function child(cid: CID, value: unknown, name: string): unknown {
  if (typeof value === 'object' && value !== null && !(value instanceof Uint8Array) && Object.hasOwn(value, name)) {
    // An array has further properties of its own than its items.
    if (!Array.isArray(value) || /^(0|[1-9]\d{0,9})$/.test(name)) return (value as Record<string, unknown>)[name];
  }
  throw new LinkNotFoundError(name, cid.toString());
}
