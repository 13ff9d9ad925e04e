import { type Block, type BufferPool, limits as blockLimits } from '@cairn/blockstore/core';
import { CID, verifyBytes } from '@cairn/cid';
import { type ByteSource, bytesFromHexDigits, chunksOfSource } from '@cairn/platform';
import { ByteReader } from './byte-reader.ts';
import { type CarHeader, decodeCarHeader } from './car-header.ts';
import { InvalidCarError } from './errors.ts';

export const carLimits = {
  /** Maximum length of the header in bytes, which allows about 200,000 roots. */
  headerBytesMax: 8 * 1024 * 1024,
  /** Maximum length of a CID in bytes. */
  cidBytesMax: 512,
} as const;

export interface ReadCarOptions {
  /** Verifies every block against its CID. Use false only if the receiving store verifies. Default: true. */
  readonly verify?: boolean;
  /** Maximum length of a block in bytes. Default: 2 MiB. */
  readonly blockBytesMax?: number;
  /** Lends the buffers of long blocks. A store that gives them back saves most of the work of the garbage collector. */
  readonly buffers?: BufferPool;
}

/** CAR that is being read from a stream. */
export interface Car {
  readonly version: 1 | 2;
  readonly roots: readonly CID[];
  /** Blocks in their order. Can be iterated once. @throws CAR_INVALID, BLOCK_CORRUPT, HASH_UNSUPPORTED */
  readonly blocks: AsyncIterable<Block>;
}

/** First bytes of every CAR of version 2. */
const pragma = bytesFromHexDigits('0aa16776657273696f6e02');
const v2HeaderBytes = 40;

/**
 * Reads a CAR (https://ipld.io/specs/transport/car/) of version 1, or of version 2 without its index, in constant memory. The source
 * ends, and a stream is cancelled, at any error, and when the consumer of the blocks stops early.
 * @throws BYTES_INVALID, CAR_INVALID
 */
export async function readCar(source: ByteSource, options: ReadCarOptions = {}): Promise<Car> {
  const bytes = new ByteReader(chunksOfSource(source));
  try {
    return await openCar(bytes, options);
  } catch (error) {
    await bytes.end();
    throw error;
  }
}

async function openCar(bytes: ByteReader, options: ReadCarOptions): Promise<Car> {
  const first = await header(bytes, 'the header');
  if (first.version === 1) return { version: 1, roots: first.roots, blocks: blocksOf(bytes, undefined, options) };
  const fixed = await bytes.take(v2HeaderBytes, 'the header of version 2');
  const fields = new DataView(fixed.buffer, fixed.byteOffset, v2HeaderBytes);
  const start = Number(fields.getBigUint64(16, true));
  const size = Number(fields.getBigUint64(24, true));
  const before = start - pragma.length - v2HeaderBytes;
  if (!Number.isSafeInteger(start) || !Number.isSafeInteger(size) || before < 0) {
    throw new InvalidCarError('its version 2 header has an invalid range of data');
  }
  await bytes.skip(before, 'what lies before the data');
  const inner = await header(bytes, 'the header of the data');
  if (inner.version !== 1) throw new InvalidCarError('the data of version 2 is not a CAR of version 1');
  return { version: 2, roots: inner.roots, blocks: blocksOf(bytes, size - inner.bytes, options) };
}

async function header(source: ByteReader, what: string) {
  if (await source.isAtEnd()) throw new InvalidCarError('it is empty', { words: 'EOF' });
  const length = await source.varint(what);
  if (length.value === 0 || length.value > carLimits.headerBytesMax) {
    throw new InvalidCarError(`${what} has ${length.value} bytes; expected 1 to ${carLimits.headerBytesMax}`);
  }
  const bytes = await source.take(length.value, what);
  let decoded: CarHeader;
  try {
    decoded = await decodeCarHeader(bytes);
  } catch (error) {
    throw new InvalidCarError(`${what} is not dag-cbor`, { cause: error });
  }
  const { version, roots } = decoded;
  if (version !== 1 && version !== 2) throw new InvalidCarError(`${what} has a version other than 1 and 2`);
  const cids = version === 1 && Array.isArray(roots) ? roots.map((root) => CID.asCID(root)) : [];
  if (version === 1 && (!Array.isArray(roots) || cids.includes(null)))
    throw new InvalidCarError(`${what} has no list of roots`);
  return { version, roots: cids.filter((cid) => cid !== null), bytes: length.bytes + length.value };
}

/** Yields the blocks, and ends the source however the iteration ends. */
async function* blocksOf(source: ByteReader, size: number | undefined, options: ReadCarOptions): AsyncGenerator<Block> {
  try {
    yield* sectionsOf(source, size, options);
  } finally {
    await source.end();
  }
}

/** Yields blocks to the end of the stream, or to the end of the data of version 2. Bytes after that are read and dropped. */
async function* sectionsOf(
  source: ByteReader,
  size: number | undefined,
  { verify = true, blockBytesMax = blockLimits.blockBytesMax, buffers }: ReadCarOptions,
): AsyncGenerator<Block> {
  let left = size ?? Number.POSITIVE_INFINITY;
  for (let index = 0; left > 0 && !(await source.isAtEnd()); index++) {
    const what = `block ${index}`;
    const length = await source.varint(what);
    left -= length.bytes + length.value;
    if (left < 0) throw new InvalidCarError(`${what} exceeds the data`);
    if (length.value === 0 || length.value > blockBytesMax + carLimits.cidBytesMax) {
      throw new InvalidCarError(
        `${what} has ${length.value} bytes with its CID; the limit of a block is ${blockBytesMax}`,
      );
    }
    const { cid, size: cidBytes } = await cidOf(source, length.value, what);
    const bytes = await source.copy(length.value - cidBytes, what, buffers);
    if (verify) verifyBytes(cid, bytes);
    yield { cid, bytes, lentBy: buffers };
  }
  if (size !== undefined && left > 0) throw new InvalidCarError('it is truncated within its data');
  await source.drain();
}

/**
 * Reads the CID of a section of `length` bytes, and the number of bytes that it has there. The CID does not retain its chunk of the
 * stream.
 */
async function cidOf(source: ByteReader, length: number, what: string) {
  const start = await source.peek(Math.min(length, carLimits.cidBytesMax), what);
  try {
    const { size } = CID.inspectBytes(start);
    const cid = CID.decode(Uint8Array.prototype.slice.call(start, 0, size));
    await source.skip(size, what);
    return { cid, size };
  } catch (error) {
    // A truncated CAR is reported first, as in Kubo.
    await source.skip(length, what);
    throw new InvalidCarError(`${what} does not begin with a CID`, { cause: error });
  }
}
