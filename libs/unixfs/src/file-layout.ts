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
}

/** Bounds the row of links in memory. More links, of at least 8 bytes each, do not fit into a block of 2 MiB. */
export const nodeLinksMax = 2 ** 18;

/** Writes a tree over leaves and returns its root. */
export type FileLayout = (chunks: AsyncIterable<Uint8Array>, options: LayoutOptions) => Promise<Subtree>;

/** Writes a leaf. `type` applies to leaves that are not raw. */
export async function writeLeaf(
  chunk: Uint8Array,
  { writer, rawLeaves }: LayoutOptions,
  type: UnixfsType,
  metadata: UnixfsMetadata = {},
): Promise<Subtree> {
  const block = rawLeaves ? await writer.putRaw(chunk) : await writer.putEncoded(encode(chunk, type, metadata));
  return { link: linkTo(block, []), fileSize: chunk.length };
}

function encode(chunk: Uint8Array, type: UnixfsType, { mode, mtime }: UnixfsMetadata): Uint8Array {
  if (!mode && mtime === undefined) return encodeLeaf(type, chunk);
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
