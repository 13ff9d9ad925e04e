import type { Blockstore } from '@cairn/blockstore/core';
import type { CID } from '@cairn/cid';
import { type ByteSource, chunksOfSource } from '@cairn/platform';
import { appendTrickle } from './append-trickle.ts';
import type { NamingOptions } from './block-batch-writer.ts';
import { ByteCursor } from './byte-cursor.ts';
import { onlyRawLeaf } from './collapse-file.ts';
import { createChunker } from './create-chunker.ts';
import { type EditableNode, editableNode, fileSizeOf, NodeWriters } from './editable-node.ts';
import { InvalidOptionError, NotAFileError } from './errors.ts';
import type { ImportResult } from './import-file.ts';
import { readNode } from './node.ts';
import { type EditContext, emptyFile, overwrite, withChangeTime } from './overwrite-file.ts';
import { type OpenChunks, openChunks } from './trickle-layout.ts';
import type { UnixfsTime } from './unixfs-data.ts';
import { openZeros } from './zero-chunks.ts';

/** Maximum gap in bytes between the end of a file and the start of a write. The gap is filled with zeros. */
export const gapBytesMax = 1024 ** 3;

export interface FileEditOptions extends NamingOptions {
  /** Offset of the first written byte. Default: 0. */
  readonly offset?: number;
  /** Empties the file before the write. Default: false. */
  readonly truncate?: boolean;
  /** Writes new leaves as raw blocks. Default: true with CID version 1. */
  readonly rawLeaves?: boolean;
  /** Chunker for appended bytes, in Kubo's notation. Default: `size-262144`. */
  readonly chunker?: string;
  /** Maximum number of links of a node. Default: 174. */
  readonly fileLinksMax?: number;
  readonly signal?: AbortSignal;
}

type EditStore = Pick<Blockstore, 'get' | 'putMany'>;

/**
 * Writes bytes into a file, over existing ones and beyond its end, and returns the new file. Without `file` it creates one.
 * As in Kubo, existing leaves are overwritten in place, and further bytes are appended as new leaves in the trickle layout.
 * A root with one raw leaf and no metadata is replaced by that leaf. Other leaves are neither read nor written. CID
 * version, hash function and mode of an existing file stay; a time is replaced by the current one. Blocks are **not**
 * durable before `sync` of the store.
 * @throws BYTES_INVALID, NOT_A_FILE, OPTION_INVALID, BLOCK_NOT_FOUND, BLOCK_CORRUPT, DAG_INVALID, what the source throws
 */
export async function editFile(
  store: EditStore,
  file: CID | undefined,
  source: ByteSource,
  options: FileEditOptions = {},
): Promise<ImportResult> {
  const { signal, offset = 0, truncate = false } = options;
  const context = { store, writers: new NodeWriters(store), read: signal ? { signal } : {}, now: currentTime() };
  const before = file ? editableNode(await fileOf(store, file, context)) : emptyNode(options);
  const isEmptied = truncate && fileSizeOf(before) > 0;
  const size = isEmptied ? 0 : fileSizeOf(before);
  if (!Number.isSafeInteger(offset) || offset < 0 || offset - size > gapBytesMax) {
    throw new InvalidOptionError(
      'offset',
      `expected 0 to ${size + gapBytesMax} for a file of ${size} bytes, not ${offset}`,
    );
  }
  const { cidVersion } = before.naming;
  const rawLeaves = options.rawLeaves ?? cidVersion === 1;
  const appending = { ...options, ...context, naming: before.naming, rawLeaves };
  const cursor = new ByteCursor(chunksOfSource(source));
  let node = isEmptied ? await emptyFile(before, context) : before;
  if (offset > size) node = await append(node, async () => openZeros(offset - size), appending);
  if (!(await cursor.isAtEnd())) node = await overwrite(node, offset, cursor, context);
  if (!(await cursor.isAtEnd()))
    node = await append(node, () => openChunks(createChunker(options.chunker ?? 'default')(cursor.rest())), appending);
  const leaf = rawLeaves ? onlyRawLeaf(node) : undefined;
  const { link, fileSize } = leaf ?? (await context.writers.put(node));
  await context.writers.flush();
  return { cid: link.cid, dagSize: link.tsize, fileSize };
}

async function fileOf(store: EditStore, file: CID, { read }: EditContext) {
  const node = await readNode(store, file, read);
  if (node.type !== 'file' && node.type !== 'raw') throw new NotAFileError(node.cid.toString(), node.type);
  return node;
}

function emptyNode({ cidVersion, hash = 'sha2-256' }: NamingOptions): EditableNode {
  const naming = { cidVersion: cidVersion ?? (hash === 'sha2-256' ? 0 : 1), hash } as const;
  return { naming, isRaw: false, type: 'file', data: undefined, subtrees: [], metadata: {} };
}

interface AppendContext extends EditContext, Pick<FileEditOptions, 'fileLinksMax'> {
  readonly store: EditStore;
  /** CID version and hash function of new leaves: those of the file before the edit. */
  readonly naming: NamingOptions;
  readonly rawLeaves: boolean;
}

/** Appends chunks to a file. */
async function append(
  node: EditableNode,
  open: () => Promise<OpenChunks>,
  { store, writers, read, now, naming, rawLeaves, fileLinksMax: linksMax = 174 }: AppendContext,
): Promise<EditableNode> {
  const writer = writers.of(naming);
  // A raw block has no links: it becomes the first leaf of a new root, and the appended leaves are raw as well.
  const root: EditableNode = node.isRaw
    ? { naming, isRaw: false, type: 'file', data: undefined, subtrees: [await writers.put(node)], metadata: {} }
    : node;
  // The last nodes are read again when more bytes are appended.
  await writers.flush();
  const subtrees = [...root.subtrees];
  const isFlat = subtrees.length < linksMax;
  const leaves = await open();
  const layout = { writer, rawLeaves: rawLeaves || node.isRaw, linksMax, metadata: {} };
  try {
    await appendTrickle(subtrees, leaves, { ...layout, store, read });
  } finally {
    await leaves.close();
  }
  // Kubo does not change the time of a tree with several levels.
  const metadata = isFlat && subtrees.length <= linksMax ? withChangeTime(root.metadata, now) : root.metadata;
  return { ...root, subtrees, metadata };
}

function currentTime(): UnixfsTime {
  const now = Date.now();
  return { seconds: Math.floor(now / 1000), nanoseconds: (now % 1000) * 1_000_000 };
}
