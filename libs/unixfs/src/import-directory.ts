import type { Blockstore } from '@cairn/blockstore';
import { cidFor } from '@cairn/cid';
import { encodePbNode, type PbLink } from './dag-pb.ts';
import { InvalidOptionError } from './errors.ts';
import type { ImportOptions, ImportResult } from './import-file.ts';
import { encodeUnixfsData } from './unixfs-data.ts';

/** Names and CIDs of a plain directory, in bytes: above this Kubo shards it, which this version does not. */
export const directoryBytesMax = 262_144;

/**
 * Writes a plain directory: its entries sorted by the bytes of their names, as Kubo sorts them.
 * @throws OPTION_INVALID for a name that is empty, repeated or holds a slash, and for a directory that Kubo would shard
 */
export async function importDirectory(
  entries: readonly PbLink[],
  store: Pick<Blockstore, 'putMany'>,
  { cidVersion, hash = 'sha2-256' }: Pick<ImportOptions, 'cidVersion' | 'hash'> = {},
): Promise<ImportResult> {
  const version = cidVersion ?? (hash === 'sha2-256' ? 0 : 1);
  const links = [...entries].sort((a, b) => Buffer.compare(Buffer.from(a.name), Buffer.from(b.name)));
  let estimate = 0;
  for (const [index, { name, cid }] of links.entries()) {
    if (name === '' || name.includes('/') || name === '.' || name === '..') {
      throw new InvalidOptionError('name', `${JSON.stringify(name)} cannot name an entry of a directory`);
    }
    if (links[index - 1]?.name === name) throw new InvalidOptionError('name', `${JSON.stringify(name)} is there twice`);
    estimate += Buffer.byteLength(name) + cid.bytes.length;
  }
  if (estimate > directoryBytesMax) {
    throw new InvalidOptionError(
      'directory',
      `its names and CIDs take ${estimate} bytes, more than ${directoryBytesMax}`,
    );
  }
  const bytes = encodePbNode({ links, data: encodeUnixfsData({ type: 'directory' }) });
  const cid = cidFor(bytes, { codec: 'dag-pb', hash, version });
  await store.putMany([{ cid, bytes }]);
  return { cid, dagSize: links.reduce((sum, { tsize }) => sum + tsize, bytes.length), fileSize: 0 };
}
