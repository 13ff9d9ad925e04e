// Hot path of every upload. Bench: import-file.bench.ts, against the bare hash function. Lent buffers: tools/bench/peers.mjs, row
// `add 1 GiB`; import-file.spec.ts compares them with new buffers.
import type { Blockstore, BufferPool } from '@cairn/blockstore/core';
import type { CID } from '@cairn/cid';
import { type ByteSource, chunksOfSource } from '@cairn/platform';
import { balancedLayout } from './balanced-layout.ts';
import { BlockBatchWriter, type NamingOptions } from './block-batch-writer.ts';
import { createChunker } from './create-chunker.ts';
import { InvalidOptionError, RefusedOptionError } from './errors.ts';
import { assertMetadata } from './metadata.ts';
import { trickleLayout } from './trickle-layout.ts';
import type { UnixfsMetadata } from './unixfs-data.ts';

export interface ImportOptions extends NamingOptions, UnixfsMetadata {
  /**
   * Writes leaves as raw blocks instead of UnixFS nodes. Default: true with CID version 1 and neither mode nor mtime, which
   * a raw block cannot carry; otherwise false.
   */
  readonly rawLeaves?: boolean;
  /** Chunker in Kubo's notation: `size-<bytes>`, `rabin-<min>-<average>-<max>` or `buzhash`. Default: `size-262144`. */
  readonly chunker?: string;
  /** `trickle` is for streams that are read from front to back only. Default: `balanced`. */
  readonly layout?: 'balanced' | 'trickle';
  /**
   * Maximum number of links of a node. 0 and less mean the default, 174 as in Kubo. 1 is allowed for files of one chunk and
   * for the trickle layout.
   */
  readonly fileLinksMax?: number;
  readonly signal?: AbortSignal;
  /** Lends the buffers of long leaves. A store that gives them back saves most of the work of the garbage collector. */
  readonly buffers?: BufferPool;
  /** Called after each chunk with the number of bytes read so far. */
  readonly onProgress?: (bytes: number) => void;
}

export interface ImportResult {
  readonly cid: CID;
  /** Size of the whole DAG in bytes: Kubo's `Size`. A block that occurs twice counts twice. */
  readonly dagSize: number;
  /** Length of the content in bytes. */
  readonly fileSize: number;
}

const defaultFileLinksMax = 174;

/**
 * Imports bytes as a UnixFS file. The CID equals that of Kubo for the same options.
 * Memory is constant: one batch of blocks, and one row of links per level of the tree. Blocks are put into the store as
 * they are created; they are **not** durable before `store.sync()`. The CIDs are computed here, so the store need not hash
 * again.
 * @throws BYTES_INVALID, OPTION_INVALID, HASH_UNSUPPORTED, what the source and the store throw, the reason of the signal
 */
export async function importFile(
  source: ByteSource,
  store: Pick<Blockstore, 'putMany'>,
  options: ImportOptions = {},
): Promise<ImportResult> {
  const writer = new BlockBatchWriter(store, options);
  const rawLeaves = chooseRawLeaves(writer, options);
  const linksMax = parseFileLinksMax(options.fileLinksMax);
  const chunks = createChunker(options.chunker ?? 'default')(chunksOfSource(source), options.buffers);
  const layout = options.layout === 'trickle' ? trickleLayout : balancedLayout;
  const { link, fileSize } = await layout(observed(chunks, options), {
    writer,
    rawLeaves,
    linksMax,
    metadata: options,
    buffers: options.buffers,
  });
  await writer.flush();
  return { cid: link.cid, dagSize: link.tsize, fileSize };
}

/** Passes chunks through, checks the signal, and reports progress. */
async function* observed(
  chunks: AsyncIterable<Uint8Array>,
  { signal, onProgress }: ImportOptions,
): AsyncGenerator<Uint8Array> {
  let taken = 0;
  for await (const chunk of chunks) {
    signal?.throwIfAborted();
    yield chunk;
    taken += chunk.length;
    onProgress?.(taken);
  }
}

function chooseRawLeaves({ cidVersion }: BlockBatchWriter, { rawLeaves, mode, mtime }: ImportOptions): boolean {
  assertMetadata({ mode, mtime });
  const hasMetadata = mode !== undefined || mtime !== undefined;
  if (rawLeaves && hasMetadata) {
    throw new RefusedOptionError(
      'raw-leaves',
      "raw-leaves can't be used with UnixFS metadata like mode or modification time",
    );
  }
  return rawLeaves ?? (cidVersion === 1 && !hasMetadata);
}

function parseFileLinksMax(linksMax = defaultFileLinksMax): number {
  if (!Number.isInteger(linksMax))
    throw new InvalidOptionError('max-file-links', `expected an integer, not ${linksMax}`);
  return linksMax > 0 ? linksMax : defaultFileLinksMax;
}
