import type { Blockstore } from '@cairn/blockstore/core';
import { type CID, codecs, hashFunction, identityBytesMax } from '@cairn/cid';
import { subtreesOf } from './append-trickle.ts';
import { BlockBatchWriter, linkTo, type NamingOptions } from './block-batch-writer.ts';
import type { Subtree } from './file-layout.ts';
import type { UnixfsNode } from './node.ts';
import { encodeUnixfsData, type UnixfsMetadata, type UnixfsType } from './unixfs-data.ts';

/** Node of a file during an edit. It keeps its own CID version and hash function, independent of those of the file. */
export interface EditableNode {
  readonly naming: NamingOptions;
  readonly isRaw: boolean;
  readonly type: UnixfsType;
  /** `undefined` if the field is absent. Kubo writes an empty one into leaves that it truncates. */
  readonly data: Uint8Array | undefined;
  readonly subtrees: readonly Subtree[];
  readonly metadata: UnixfsMetadata;
}

/** Returns CID version and hash function of a CID. As in Kubo, an inlined block stays inlined while it is short enough. */
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

/** Bytes of the file in and below a node. */
export function fileSizeOf({ data, subtrees }: EditableNode): number {
  return subtrees.reduce((sum, { fileSize }) => sum + fileSize, data?.length ?? 0);
}

/** Writers of one edit: one for each combination of CID version and hash function in the file. */
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
