import type { Block, BufferPool } from '@cairn/blockstore/core';
import type { BlockBatchWriter } from './block-batch-writer.ts';
import { linkTo } from './block-batch-writer.ts';
import { encodePbNode, type PbLink } from './dag-pb.ts';
import { encodeLeaf } from './encode-leaf.ts';
import { encodeUnixfsData, type UnixfsMetadata, type UnixfsType } from './unixfs-data.ts';

/** Finished subtree: its link, and the number of bytes of the file in it. */
export interface Subtree {
  readonly link: PbLink;
  readonly fileSize: number;
}

export interface LayoutOptions {
  readonly writer: BlockBatchWriter;
  readonly rawLeaves: boolean;
  /** Maximum number of links of a node. */
  readonly linksMax: number;
  /** Metadata of the file, carried by its root only. */
  readonly metadata: UnixfsMetadata;
  /** Pool that lent the chunks, and lends the leaves. */
  readonly buffers?: BufferPool | undefined;
}

/** Bounds the row of links in memory. More links, of at least 8 bytes each, do not fit into a block of 2 MiB. */
export const nodeLinksMax = 2 ** 18;

/** Writes a tree over leaves and returns its root. */
export type FileLayout = (chunks: AsyncIterable<Uint8Array>, options: LayoutOptions) => Promise<Subtree>;

/** Writes a leaf. `type` applies to leaves that are not raw. */
export async function writeLeaf(
  chunk: Uint8Array,
  { writer, rawLeaves, buffers }: LayoutOptions,
  type: UnixfsType,
  metadata: UnixfsMetadata = {},
): Promise<Subtree> {
  const fileSize = chunk.length;
  if (rawLeaves) return { link: linkTo(await writer.putRaw(chunk, buffers), []), fileSize };
  const bytes = encode(chunk, type, metadata, buffers);
  buffers?.giveBack(chunk);
  return { link: linkTo(await writer.putEncoded(bytes, buffers), []), fileSize };
}

/** Computes the CID of a leaf without metadata in the background. `writer.putHashed` writes it. */
export function hashLeaf(
  chunk: Uint8Array,
  { writer, rawLeaves, buffers }: LayoutOptions,
  type: UnixfsType,
): Promise<Block> {
  if (rawLeaves) return writer.hash(chunk, 'raw', buffers);
  const bytes = encode(chunk, type, {}, buffers);
  buffers?.giveBack(chunk);
  return writer.hash(bytes, 'dag-pb', buffers);
}

function encode(
  chunk: Uint8Array,
  type: UnixfsType,
  { mode, mtime }: UnixfsMetadata,
  buffers: BufferPool | undefined,
): Uint8Array {
  if (!mode && mtime === undefined) return encodeLeaf(type, chunk, buffers);
  const data = chunk.length > 0 ? chunk : undefined;
  return encodePbNode({ links: [], data: encodeUnixfsData({ type, data, fileSize: chunk.length, mode, mtime }) });
}

/** Writes a node over subtrees. */
export async function writeInner(
  subtrees: readonly Subtree[],
  writer: BlockBatchWriter,
  { mode, mtime }: UnixfsMetadata = {},
): Promise<Subtree> {
  const blockSizes = subtrees.map(({ fileSize }) => fileSize);
  const fileSize = blockSizes.reduce((sum, size) => sum + size, 0);
  const links = subtrees.map(({ link }) => link);
  const block = await writer.putNode(links, encodeUnixfsData({ type: 'file', fileSize, blockSizes, mode, mtime }));
  return { link: linkTo(block, links), fileSize };
}
