import type { Blockstore, ReadOptions } from '@cairn/blockstore/core';
import { type CID, hashFunction } from '@cairn/cid';
import { utf8Length } from '@cairn/platform';
import { BlockBatchWriter } from './block-batch-writer.ts';
import type { PbLink } from './dag-pb.ts';
import { removeFromShard, setInShard } from './edit-shards.ts';
import { LinkNotFoundError, NotADirectoryError } from './errors.ts';
import { findEntry } from './find-entry.ts';
import { assertEntryName, type DirectoryOptions, importDirectory, isSharded } from './import-directory.ts';
import type { ImportResult } from './import-file.ts';
import { listDirectory } from './list-directory.ts';
import { readNode, type UnixfsNode } from './node.ts';
import { hashOfName } from './shard.ts';
import { encodeUnixfsData } from './unixfs-data.ts';

/** CID version and hash function default to those of the directory. Its mode and time stay. */
export type EditOptions = Omit<DirectoryOptions, 'mode' | 'mtime'> & ReadOptions;

type EditStore = Pick<Blockstore, 'get' | 'putMany'>;

/**
 * Adds an entry to a directory, or replaces the entry of the same name, and returns the new directory. In a sharded
 * directory it reads and writes only the shards on the path to the entry. Directories switch between plain and sharded as
 * in Kubo: to sharded above the threshold when an entry is added, to plain at or below it when the directory shrinks.
 * @throws NOT_A_DIRECTORY, OPTION_INVALID, BLOCK_NOT_FOUND, BLOCK_CORRUPT, DAG_INVALID, the reason of the signal
 */
export async function addLink(
  store: EditStore,
  directory: CID,
  entry: PbLink,
  options: EditOptions = {},
): Promise<ImportResult> {
  assertEntryName(entry.name);
  const { node, naming, read } = await open(store, directory, options);
  const { mode, mtime, fanout } = node;
  if (node.type === 'directory') {
    const others = node.links.filter(({ name }) => name !== entry.name);
    return importDirectory([...others, entry], store, { ...naming, mode, mtime });
  }
  const before = await findEntry(store, node, entry.name, read);
  if (before !== undefined && entryBytes(before) > entryBytes(entry)) {
    const plain = await plainEntries(store, node, entry.name, [entry], naming, read);
    if (plain !== undefined) return importDirectory(plain, store, { ...naming, mode, mtime });
  }
  const writer = new BlockBatchWriter(store, naming);
  const placed = { hash: hashOfName(entry.name), link: entry };
  const context = { store, writer, fanout: fanout ?? 0, metadata: { mode, mtime }, ...read };
  const link = await setInShard(node, placed, 0, context);
  await writer.flush();
  return { cid: link.cid, dagSize: link.tsize, fileSize: 0 };
}

/**
 * Removes an entry from a directory and returns the new directory, as {@link addLink} does.
 * @throws LINK_NOT_FOUND, and what {@link addLink} throws
 */
export async function removeLink(
  store: EditStore,
  directory: CID,
  name: string,
  options: EditOptions = {},
): Promise<ImportResult> {
  const { node, naming, read } = await open(store, directory, options);
  const { mode, mtime, fanout } = node;
  if ((await findEntry(store, node, name, read)) === undefined) throw new LinkNotFoundError(name, directory.toString());
  const plain =
    node.type === 'directory'
      ? node.links.filter((link) => link.name !== name)
      : await plainEntries(store, node, name, [], naming, read);
  if (plain !== undefined) return importDirectory(plain, store, { ...naming, mode, mtime });
  const writer = new BlockBatchWriter(store, naming);
  const context = { store, writer, fanout: fanout ?? 0, metadata: { mode, mtime }, ...read };
  const left = await removeFromShard(node, { hash: hashOfName(name), name }, 0, context);
  await writer.flush();
  if (left === undefined) throw new LinkNotFoundError(name, directory.toString());
  return { cid: left.link.cid, dagSize: left.link.tsize, fileSize: 0 };
}

async function open(store: EditStore, directory: CID, { signal, ...options }: EditOptions) {
  const read: ReadOptions = signal ? { signal } : {};
  const node = await readNode(store, directory, read);
  if (node.type !== 'directory' && node.type !== 'hamt-sharded-directory') {
    throw new NotADirectoryError(directory.toString(), node.type);
  }
  // An identity CID contains its block and does not tell the hash function of new blocks.
  const { name } = hashFunction(directory.multihash.code);
  const hash = name === 'identity' ? 'sha2-256' : name;
  const naming = { cidVersion: directory.version, hash, ...options };
  return { node, naming, read };
}

/**
 * Returns the entries of a sharded directory without `name` and with `added` if they fit into a plain directory. Stops
 * reading as soon as they do not.
 */
async function plainEntries(
  store: EditStore,
  node: UnixfsNode,
  name: string,
  added: readonly PbLink[],
  options: DirectoryOptions,
  read: ReadOptions,
): Promise<readonly PbLink[] | undefined> {
  // A threshold of 0 disables every switch, also back to plain.
  if (options.shardBytes === 0) return undefined;
  const { mode, mtime } = node;
  const data = encodeUnixfsData({ type: 'directory', mode, mtime });
  const entries = [...added];
  let checkAt = 64;
  for await (const entry of listDirectory(store, node, read)) {
    if (entry.name === name) continue;
    entries.push(entry);
    if (entries.length < checkAt) continue;
    if (await isSharded(entries, data, options)) return undefined;
    checkAt *= 2;
  }
  return (await isSharded(entries, data, options)) ? undefined : entries;
}

function entryBytes({ name, cid }: PbLink): number {
  return utf8Length(name) + cid.bytes.length;
}
