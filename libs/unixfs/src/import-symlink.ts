import type { Blockstore } from '@cairn/blockstore/core';
import { utf8FromText } from '@cairn/platform';
import { BlockBatchWriter, linkTo, type NamingOptions } from './block-batch-writer.ts';
import { InvalidOptionError } from './errors.ts';
import type { ImportResult } from './import-file.ts';
import { assertMetadata } from './metadata.ts';
import { encodeUnixfsData, type UnixfsTime } from './unixfs-data.ts';

/** Maximum length of a symlink target in bytes: `PATH_MAX` of Linux. */
export const symlinkTargetBytesMax = 4096;

/**
 * Writes a symlink. The target is stored unchanged and never followed. As in Kubo, a symlink has a time but no mode.
 * @throws OPTION_INVALID
 */
export async function importSymlink(
  target: string,
  store: Pick<Blockstore, 'putMany'>,
  options: NamingOptions & { readonly mtime?: UnixfsTime | undefined } = {},
): Promise<ImportResult> {
  const { mtime } = options;
  assertMetadata({ mtime });
  const data = utf8FromText(target);
  if (data.length > symlinkTargetBytesMax) {
    throw new InvalidOptionError('symlink', `its target is ${data.length} bytes, more than ${symlinkTargetBytesMax}`);
  }
  const writer = new BlockBatchWriter(store, options);
  const block = await writer.putNode([], encodeUnixfsData({ type: 'symlink', data, mtime }));
  await writer.flush();
  return { cid: block.cid, dagSize: linkTo(block, []).tsize, fileSize: 0 };
}
