import type { Blockstore } from '@cairn/blockstore/core';
import { type CID, codecs, hashFunction, identityBytesMax } from '@cairn/cid';
import { subtreesOf } from './append-trickle.ts';
import { BlockBatchWriter, linkTo, type NamingOptions } from './block-batch-writer.ts';
import type { Subtree } from './file-layout.ts';
import type { UnixfsNode } from './node.ts';
import { encodeUnixfsData, type UnixfsMetadata, type UnixfsType } from './unixfs-data.ts';

/** A node of a file while it is edited. It keeps its own CID version and hash function, whatever those of the file are. */
export interface EditableNode {
  readonly naming: NamingOptions;
  readonly isRaw: boolean;
  readonly type: UnixfsType;
  /** `undefined` where the field is not written; Kubo writes an empty one into leaves that it truncates. */
  readonly data: Uint8Array | undefined;
  readonly subtrees: readonly Subtree[];
  readonly metadata: UnixfsMetadata;
}

/** How the block of a CID was named; a block within its CID stays there as long as it fits, as in Kubo. */
function namingOf({ version, multihash }: CID): NamingOptions {
  const { name } = hashFunction(multihash.code);
  if (name === 'identity') return { cidVersion: 1, inline: true, inlineBytesMax: identityBytesMax };
  return { cidVersion: version, hash: name };
}

export function editableNode(node: UnixfsNode): EditableNode {
  const { cid, type, data, hasData, mode, mtime } = node;
  return {
    naming: namingOf(cid),
    isRaw: cid.code === codecs.raw,
    type,
    data: hasData ? data : undefined,
    subtrees: subtreesOf(node),
    metadata: { mode, mtime },
  };
}

/** Bytes of the file below a node, its own included. */
export function fileSizeOf({ data, subtrees }: EditableNode): number {
  return subtrees.reduce((sum, { fileSize }) => sum + fileSize, data?.length ?? 0);
}

/** Writers of one edit: one for each way of naming blocks that occurs in the file. */
export class NodeWriters {
  readonly #store: Pick<Blockstore, 'putMany'>;
  readonly #writers = new Map<string, BlockBatchWriter>();

  constructor(store: Pick<Blockstore, 'putMany'>) {
    this.#store = store;
  }

  of(naming: NamingOptions): BlockBatchWriter {
    const key = `${naming.cidVersion} ${naming.hash} ${naming.inline}`;
    const writer = this.#writers.get(key) ?? new BlockBatchWriter(this.#store, naming);
    this.#writers.set(key, writer);
    return writer;
  }

  async put(node: EditableNode): Promise<Subtree> {
    const { naming, isRaw, type, data, subtrees, metadata } = node;
    const writer = this.of(naming);
    const fileSize = fileSizeOf(node);
    if (isRaw) return { link: linkTo(await writer.putRaw(data ?? new Uint8Array(0)), []), fileSize };
    const blockSizes = subtrees.map((subtree) => subtree.fileSize);
    const links = subtrees.map(({ link }) => link);
    const message = encodeUnixfsData({ type, data, fileSize, blockSizes, ...metadata });
    return { link: linkTo(await writer.putNode(links, message), links), fileSize };
  }

  async flush(): Promise<void> {
    for (const writer of this.#writers.values()) await writer.flush();
  }
}
