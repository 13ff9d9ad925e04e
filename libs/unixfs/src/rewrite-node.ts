import type { Blockstore, ReadOptions } from '@cairn/blockstore/core';
import { type CID, codecs, hashFunction } from '@cairn/cid';
import { BlockBatchWriter, linkTo, type NamingOptions } from './block-batch-writer.ts';
import type { ImportResult } from './import-file.ts';
import { assertMetadata } from './metadata.ts';
import { readNode } from './node.ts';
import { encodeUnixfsData, type UnixfsMetadata } from './unixfs-data.ts';

/**
 * Writes the root of a file, directory or symlink with another mode, time, CID version or hash function. Omitted options
 * and all links stay. A raw block cannot carry a mode or a time. If it gets one, it becomes a file node of CID version 0,
 * as in Kubo. The block is **not** durable before `sync` of the store.
 * @throws OPTION_INVALID, BLOCK_NOT_FOUND, BLOCK_CORRUPT, DAG_INVALID
 */
export async function rewriteNode(
  store: Pick<Blockstore, 'get' | 'putMany'>,
  cid: CID,
  { signal, mode, mtime, ...naming }: NamingOptions & UnixfsMetadata & ReadOptions,
): Promise<ImportResult> {
  assertMetadata({ mode, mtime });
  const node = await readNode(store, cid, signal ? { signal } : {});
  const metadata = { mode: mode ?? node.mode, mtime: mtime ?? node.mtime };
  const isRaw = cid.code === codecs.raw && metadata.mode === undefined && metadata.mtime === undefined;
  const { name: hash } = hashFunction(cid.multihash.code);
  // Kubo gives the node that replaces a raw block a CID of version 0.
  const isWrapped = cid.code === codecs.raw && !isRaw;
  const kept = isWrapped ? ({ cidVersion: 0 } as const) : { cidVersion: cid.version, hash };
  const writer = new BlockBatchWriter(store, {
    cidVersion: naming.hash === undefined || naming.hash === 'sha2-256' ? kept.cidVersion : 1,
    hash: kept.hash === 'identity' ? 'sha2-256' : kept.hash,
    ...naming,
  });
  const { type, data, hasData, links, blockSizes, fileSize, hashType, fanout } = node;
  const isFile = type === 'file' || type === 'raw';
  const message = {
    type,
    ...(hasData && { data }),
    ...(isFile && { fileSize, blockSizes }),
    ...(hashType !== undefined && { hashType }),
    ...(fanout !== undefined && { fanout }),
    ...metadata,
  };
  const block = isRaw ? await writer.putRaw(data) : await writer.putNode(links, encodeUnixfsData(message));
  await writer.flush();
  return { cid: block.cid, dagSize: linkTo(block, links).tsize, fileSize };
}
