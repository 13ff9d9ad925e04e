import type { Blockstore, ReadOptions } from '@cairn/blockstore';
import { type CID, parseCid } from '@cairn/cid';
import { InvalidPathError, LinkNotFoundError } from './errors.ts';
import { findEntry } from './find-entry.ts';
import { readNode } from './node.ts';

/** A path split at its slashes. */
export interface ContentPath {
  readonly cid: CID;
  readonly segments: readonly string[];
}

const segmentsMax = 1024;

/**
 * Reads `<cid>`, `/ipfs/<cid>` or `ipfs/<cid>`, followed by names.
 * @throws PATH_INVALID
 */
export function parsePath(path: string): ContentPath {
  if (path.startsWith('/ipns/')) throw new InvalidPathError(path, 'IPNS names are not resolved here');
  const parts = path
    .replace(/^\/?ipfs\//, '')
    .split('/')
    .filter((part) => part !== '');
  const [first, ...segments] = parts;
  if (first === undefined) throw new InvalidPathError(path, 'it names no CID');
  if (segments.length > segmentsMax) throw new InvalidPathError(path, `it has more than ${segmentsMax} segments`);
  if (segments.some((segment) => segment === '.' || segment === '..'))
    throw new InvalidPathError(path, 'it has relative segments');
  try {
    return { cid: parseCid(first), segments };
  } catch (error) {
    throw new InvalidPathError(path, `${JSON.stringify(first.slice(0, 80))} is not a CID`, error);
  }
}

/**
 * The CID that a path leads to, through UnixFS directories, plain and sharded. Symlinks are not followed, as in Kubo.
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
