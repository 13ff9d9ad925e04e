import { CID } from '@cairn/cid';
import { compareBytes, utf8FromText } from '@cairn/platform';
import type { PbLink } from './dag-pb.ts';
import { RefusedOptionError } from './errors.ts';
import { type DirectoryOptions, isSharded } from './import-directory.ts';
import { hashOfName } from './shard.ts';
import { encodeUnixfsData, type UnixfsMetadata } from './unixfs-data.ts';

/** A directory whose entries are being collected. */
export interface Directory {
  readonly metadata: UnixfsMetadata;
  readonly children: Map<string, PbLink | Directory>;
  /** False for a directory that no entry was placed in. */
  hasEntries: boolean;
}

export function newDirectory(metadata: UnixfsMetadata): Directory {
  return { metadata, children: new Map(), hasEntries: false };
}

export function isDirectory(child: PbLink | Directory): child is Directory {
  return 'children' in child;
}

/** The directory at a path below one, made where it is not there; one that is there keeps its metadata. @throws OPTION_INVALID */
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

/** @throws OPTION_INVALID for a name that is there already */
export function assertFree(directory: Directory, name: string): void {
  if (directory.children.has(name)) throw new RefusedOptionError('path', 'directory already has entry by that name');
}

/** Stands for a directory that is not written yet: its CID is as long as most. */
const someCid = CID.parse('QmUNLLsPACCz1vLxQVkXqqLX5R1X345qqfHbsf67hvA3Nn');

/** Entries in the order in which Kubo lists them: by the bytes of their names, in a sharded directory by their hashes. */
export function inListingOrder(
  { children, metadata }: Directory,
  options: DirectoryOptions,
): readonly (readonly [string, PbLink | Directory])[] {
  const named = [...children].map(([name, child]) => ({ name, child, key: utf8FromText(name) }));
  named.sort((a, b) => compareBytes(a.key, b.key));
  const links = named.map(({ name, child }) => (isDirectory(child) ? { name, cid: someCid, tsize: 0 } : child));
  const hasDirectories = links.some(({ cid }) => cid === someCid);
  if (hasDirectories && isSharded(links, encodeUnixfsData({ type: 'directory', ...metadata }), options)) {
    const hashed = named.map((each) => ({ ...each, hash: hashOfName(each.name) }));
    hashed.sort((a, b) => (a.hash < b.hash ? -1 : 1));
    return hashed.map(({ name, child }) => [name, child]);
  }
  return named.map(({ name, child }) => [name, child]);
}
