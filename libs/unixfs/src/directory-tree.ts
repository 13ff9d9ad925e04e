import { compareByBytes, type Slices, sortInSlices } from '@cairn/blockstore/core';
import { CID } from '@cairn/cid';
import type { PbLink } from './dag-pb.ts';
import { RefusedOptionError } from './errors.ts';
import { type DirectoryOptions, isSharded } from './import-directory.ts';
import { hashOfName } from './shard.ts';
import { encodeUnixfsData, type UnixfsMetadata } from './unixfs-data.ts';

/** Directory under construction. */
export interface Directory {
  readonly metadata: UnixfsMetadata;
  readonly children: Map<string, PbLink | Directory>;
  /** False for a directory without any entry. */
  hasEntries: boolean;
}

export function newDirectory(metadata: UnixfsMetadata): Directory {
  return { metadata, children: new Map(), hasEntries: false };
}

export function isDirectory(child: PbLink | Directory): child is Directory {
  return 'children' in child;
}

/**
 * Returns the directory at a path below `top`, and creates missing ones. An existing directory keeps its metadata. @throws
 * OPTION_INVALID
 */
export function openDirectory(top: Directory, names: readonly string[], metadata: UnixfsMetadata): Directory {
  let directory = top;
  for (const name of names) {
    directory.hasEntries = true;
    const there = directory.children.get(name);
    if (there !== undefined && !isDirectory(there)) throw new RefusedOptionError('path', 'file already exists');
    const next = there ?? newDirectory(metadata);
    directory.children.set(name, next);
    directory = next;
  }
  return directory;
}

/** Requires that the name is not used yet. @throws OPTION_INVALID */
export function assertFree(directory: Directory, name: string): void {
  if (directory.children.has(name)) throw new RefusedOptionError('path', 'directory already has entry by that name');
}

/** Placeholder for the CID of a directory that is not written yet, of the usual length. */
const someCid = CID.parse('QmUNLLsPACCz1vLxQVkXqqLX5R1X345qqfHbsf67hvA3Nn');

/** Returns the entries in Kubo's listing order: by the bytes of their names, in a sharded directory by their hashes. */
export async function inListingOrder(
  { children, metadata }: Directory,
  options: DirectoryOptions,
  slices: Slices,
): Promise<readonly (readonly [string, PbLink | Directory])[]> {
  const named = await sortInSlices([...children], ([a], [b]) => compareByBytes(a, b), slices);
  if (!named.some(([, child]) => isDirectory(child))) return named;
  const links = named.map(([name, child]) => (isDirectory(child) ? { name, cid: someCid, tsize: 0 } : child));
  if (!(await isSharded(links, encodeUnixfsData({ type: 'directory', ...metadata }), options, slices))) return named;
  const hashed: { readonly hash: bigint; readonly entry: (typeof named)[number] }[] = [];
  for (const entry of named) {
    hashed.push({ hash: hashOfName(entry[0]), entry });
    if (hashed.length % namesPerStep === 0) await slices.step();
  }
  const ordered = await sortInSlices(hashed, (a, b) => (a.hash < b.hash ? -1 : 1), slices);
  return ordered.map(({ entry }) => entry);
}

const namesPerStep = 64;
