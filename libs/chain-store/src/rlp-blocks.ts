import type { ByteReader } from './byte-reader.ts';
import { SourceError } from './errors.ts';

/** Largest block in a file. EIP-7934 limits blocks to 10 MiB, so a longer one means a damaged file. */
export const blockBytesMax = 64 * 1024 * 1024;

/** Reads concatenated RLP lists, one per block. @throws SOURCE_INVALID */
export async function* readRlpBlocks(reader: ByteReader, file: string): AsyncGenerator<Uint8Array> {
  for (let first = await reader.peek(); first !== undefined; first = await reader.peek()) {
    const at = reader.position;
    if (first < 0xc0)
      throw new SourceError(
        file,
        `at byte ${at} there is no RLP list; expected blocks as geth export writes them, or era1`,
      );
    const head = await reader.take(first <= 0xf7 ? 1 : 1 + (first - 0xf7));
    const length = first <= 0xf7 ? first - 0xc0 : Buffer.from(head).readUIntBE(1, Math.min(head.length - 1, 6));
    if (head.length > 5 || length > blockBytesMax)
      throw new SourceError(file, `at byte ${at} a block claims to be longer than ${blockBytesMax} bytes`);
    yield Buffer.concat([head, await reader.take(length)]);
  }
}
