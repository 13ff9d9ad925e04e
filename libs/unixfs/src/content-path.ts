import { type CID, parseCid } from '@cairn/cid';
import { isCairnError } from '@cairn/errors';
import { InvalidPathError } from './errors.ts';

/** Parsed path: a CID and names. */
export interface ContentPath {
  readonly cid: CID;
  readonly segments: readonly string[];
  /** With `ipld`, dag-pb nodes are read as their fields `Data` and `Links`, not as directories. Default: `ipfs`. */
  readonly namespace?: 'ipfs' | 'ipld';
}

const segmentsMax = 1024;

/**
 * Parses `/ipfs/<cid>`, `/ipld/<cid>` or `<cid>`, followed by names, as Kubo does. `.`, `..` and empty names are resolved
 * first (Go's path.Clean).
 * @throws PATH_INVALID with the message of boxo's path package
 */
export function parsePath(path: string): ContentPath {
  const parsed = parseRooted(path);
  if ('cid' in parsed) return parsed;
  // A text without a leading slash may be a CID followed by names.
  const below = parseRooted(`/ipfs/${path}`);
  if ('cid' in below) return below;
  throw new InvalidPathError(path, parsed.reason, parsed);
}

interface NoPath {
  readonly reason: string;
  readonly cidText?: string;
}

/** Parses a path that starts with a slash. Returns the reason if it is invalid. */
function parseRooted(path: string): ContentPath | NoPath {
  const [namespace, root, ...segments] = path.startsWith('/') ? clean(path) : [];
  if (namespace === undefined || root === undefined) return { reason: 'path does not have enough components' };
  if (segments.length > segmentsMax) return { reason: `it has more than ${segmentsMax} names` };
  if (namespace === 'ipns') return { reason: 'IPNS names are not resolved here; give a path under /ipfs/' };
  if (namespace !== 'ipfs' && namespace !== 'ipld')
    return { reason: `unknown namespace: ${JSON.stringify(namespace)}` };
  try {
    return { cid: parseCid(root), segments, ...(namespace === 'ipld' && { namespace }) };
  } catch (error) {
    if (!isCairnError(error, 'CID_INVALID')) throw error;
    return { reason: `invalid cid: ${String(error.details.reason)}`, cidText: root };
  }
}

/** Removes empty names and resolves relative ones. `..` at the root stays at the root. */
function clean(path: string): string[] {
  const names: string[] = [];
  for (const name of path.split('/')) {
    if (name === '..') names.pop();
    else if (name !== '' && name !== '.') names.push(name);
  }
  return names;
}
