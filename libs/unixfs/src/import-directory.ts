import { type Blockstore, compareByBytes, runInSlices, Slices, sortInSlices } from '@cairn/blockstore/core';
import { utf8Length } from '@cairn/platform';
import { BlockBatchWriter, linkTo, type NamingOptions } from './block-batch-writer.ts';
import { type PbLink, pbBytesSteps } from './dag-pb.ts';
import { InvalidOptionError, RefusedOptionError } from './errors.ts';
import type { ImportResult } from './import-file.ts';
import { assertMetadata } from './metadata.ts';
import { isFanout, shardFanoutDefault, shardFanoutMax } from './shard.ts';
import { encodeUnixfsData, type UnixfsMetadata } from './unixfs-data.ts';
import { writeShards } from './write-shards.ts';

const linksPerStep = 256;

/** Kubo's default for {@link DirectoryOptions.shardBytes}. */
export const directoryBytesMax = 262_144;

/** Options of a directory. */
export interface DirectoryOptions extends NamingOptions, UnixfsMetadata {
  /** Estimated size in bytes above which a directory is sharded. 0 disables sharding by size. Default: 262,144, as in Kubo. */
  readonly shardBytes?: number;
  /**
   * Estimation of that size: `links` sums names and CIDs (Kubo's default), `block` is the length of the encoded node,
   * `disabled` uses only {@link directoryLinksMax}.
   */
  readonly shardEstimation?: 'links' | 'block' | 'disabled';
  /** Fanout of a shard: a power of two from 8 to 1,024. Default: 256. */
  readonly shardFanout?: number;
  /** Number of entries above which a directory is sharded. 0 and less disable sharding by number, as in Kubo. Default: 0. */
  readonly directoryLinksMax?: number;
}

/**
 * Writes a directory as one node with entries sorted by the bytes of their names, or as a hash array mapped trie (HAMT).
 * The choice is that of Kubo.
 * @throws OPTION_INVALID for a name that is empty, repeated or has a slash, and for options out of range
 */
export async function importDirectory(
  entries: readonly PbLink[],
  store: Pick<Blockstore, 'putMany'>,
  options: DirectoryOptions = {},
): Promise<ImportResult> {
  assertMetadata(options);
  const writer = new BlockBatchWriter(store, options);
  const slices = new Slices();
  const links = await sortEntries(entries, slices);
  const { shardFanout = shardFanoutDefault, mode, mtime } = options;
  if (!isFanout(shardFanout)) {
    throw new RefusedOptionError(
      'max-hamt-fanout',
      `HAMT fanout must be a power of 2, between 8 and ${shardFanoutMax} (got ${shardFanout})`,
    );
  }
  const data = encodeUnixfsData({ type: 'directory', mode, mtime });
  const link = (await isSharded(links, data, options, slices))
    ? await writeShards(links, { writer, fanout: shardFanout, metadata: { mode, mtime }, slices })
    : linkTo(await writer.putNode(links, data), links);
  await writer.flush();
  return { cid: link.cid, dagSize: link.tsize, fileSize: 0 };
}

/** Sorts entries by the bytes of their names. @throws OPTION_INVALID for invalid names */
async function sortEntries(entries: readonly PbLink[], slices: Slices): Promise<readonly PbLink[]> {
  const links = await sortInSlices(entries, (a, b) => compareByBytes(a.name, b.name), slices);
  for (const [index, { name }] of links.entries()) {
    assertEntryName(name);
    if (links[index - 1]?.name === name) throw new InvalidOptionError('name', `${JSON.stringify(name)} occurs twice`);
  }
  return links;
}

/** Requires a name that an entry can have. @throws OPTION_INVALID */
export function assertEntryName(name: string): void {
  if (name === '' || name.includes('/') || name === '.' || name === '..') {
    throw new InvalidOptionError('name', `${JSON.stringify(name.slice(0, 100))} cannot name an entry of a directory`);
  }
}

/** Reports whether the directory is sharded. Matches Kubo: a directory of exactly the threshold is not. */
export async function isSharded(
  links: readonly PbLink[],
  data: Uint8Array,
  options: DirectoryOptions,
  slices: Slices = new Slices(),
): Promise<boolean> {
  const { shardBytes = directoryBytesMax, shardEstimation = 'links', directoryLinksMax = 0 } = options;
  for (const [option, value] of Object.entries({
    'shard-size': shardBytes,
    'max-directory-links': directoryLinksMax,
  })) {
    if (!Number.isSafeInteger(value) || (value < 0 && option === 'shard-size')) {
      throw new InvalidOptionError(option, `expected 0 or a whole number above it, not ${value}`);
    }
  }
  // Matches Kubo: a threshold of 0 disables sharding.
  if (shardBytes === 0) return false;
  if (directoryLinksMax > 0 && links.length > directoryLinksMax) return true;
  if (shardEstimation === 'disabled') return false;
  if (shardEstimation === 'block')
    return (await runInSlices(pbBytesSteps({ links, data }), slices)).length > shardBytes;
  let bytes = 0;
  for (const [index, { name, cid }] of links.entries()) {
    bytes += utf8Length(name) + cid.bytes.length;
    if (bytes > shardBytes) return true;
    if (index % linksPerStep === 0) await slices.step();
  }
  return false;
}
