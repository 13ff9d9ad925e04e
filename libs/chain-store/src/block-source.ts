import { createReadStream } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { createGunzip } from 'node:zlib';
import { ByteReader } from './byte-reader.ts';
import { readEra1Blocks } from './era1.ts';
import { SourceError } from './errors.ts';
import { readRlpBlocks } from './rlp-blocks.ts';

/** An unparsed block of a file. */
export interface SourceBlock {
  /** RLP of the block. */
  readonly raw: Uint8Array;
  /** Bytes of the file up to and including this block. */
  readonly position: number;
}

const era1Start = Buffer.from([0x65, 0x32, 0, 0, 0, 0, 0, 0]);

/**
 * Reads the blocks of a file in order: concatenated RLP from `geth export`, plain or gzipped, or an era1 file. The first bytes
 * determine the format. One block is in memory at a time.
 * @throws SOURCE_INVALID
 */
export async function* readBlockFile(file: string): AsyncGenerator<SourceBlock> {
  const start = await firstBytes(file);
  const stream = createReadStream(file, { highWaterMark: 256 * 1024 });
  const isGzip = start[0] === 0x1f && start[1] === 0x8b;
  const bytes = isGzip ? stream.pipe(createGunzip()) : stream;
  stream.on('error', (error) => bytes.destroy(error));
  const reader = new ByteReader(bytes, file);
  try {
    const blocks = start.equals(era1Start) ? readEra1Blocks(reader, file) : readRlpBlocks(reader, file);
    for await (const raw of blocks) yield { raw, position: isGzip ? stream.bytesRead : reader.position };
  } finally {
    stream.destroy();
    bytes.destroy();
  }
}

async function firstBytes(file: string): Promise<Buffer> {
  let handle: FileHandle | undefined;
  try {
    handle = await open(file);
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(8), 0, 8, 0);
    return buffer.subarray(0, bytesRead);
  } catch (error) {
    throw new SourceError(file, 'it cannot be read', error);
  } finally {
    await handle?.close();
  }
}
