// Hot path of small uploads: the generators and promises of importFile take longer than the hash of a small file. The bench is
// tools/bench/peers.mjs, row `add 4 KiB`; file-block.spec.ts compares it with importFile.
import { type Block, createHashedBlock } from '@cairn/blockstore/core';
import { copyBytes } from '@cairn/platform';
import { defaultChunkBytes, parseChunker } from './chunker.ts';
import { encodeLeaf } from './encode-leaf.ts';
import type { ImportOptions } from './import-file.ts';

const sizeChunker = /^(?:default|size-\d{1,9})$/;

/**
 * Creates the block of a file that {@link importFile} stores in one block, and copies the bytes. Its `dagSize` is the length of
 * the block. Returns `undefined` for longer files and for options that need `importFile`.
 */
export function createFileBlock(bytes: Uint8Array, options: ImportOptions): Block | undefined {
  const { cidVersion = 0, rawLeaves = cidVersion === 1, hash = 'sha2-256', chunker = 'default' } = options;
  const { layout = 'balanced', inline = false, mode, mtime, fileLinksMax = 0 } = options;
  const isPlain = hash === 'sha2-256' && layout === 'balanced' && !inline && Number.isInteger(fileLinksMax);
  if (!isPlain || mode !== undefined || mtime !== undefined || !sizeChunker.test(chunker)) return undefined;
  if (bytes.length > Math.min(parseChunker(chunker), defaultChunkBytes)) return undefined;
  return rawLeaves
    ? createHashedBlock(copyBytes(bytes), { codec: 'raw', hash, version: 1 })
    : createHashedBlock(encodeLeaf('file', bytes), { codec: 'dag-pb', hash, version: cidVersion });
}
