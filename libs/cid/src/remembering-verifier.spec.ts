import { describe, expect, jest, test } from '@jest/globals';
import fc from 'fast-check';
import { type BlockVerifier, cidFor, createRememberingVerifier, verifyBytesInBackground } from './index.ts';
import { createTagger } from './native-hashes-node.ts';

const KiB = 1024;

/** Returns a verifier with the hash that it calls. */
function verifier(options: { readonly blocksMax?: number } = {}) {
  const hash = jest.fn<BlockVerifier>(verifyBytesInBackground);
  return { hash, verify: createRememberingVerifier({ verify: hash, ...options }) };
}

const blockOf = (length: number, seed: number) =>
  Uint8Array.from({ length }, (_, index) => (index * 31 + seed * 7 + (index >> 8)) & 255);
const corrupt = expect.objectContaining({ code: 'BLOCK_CORRUPT' });

describe('createRememberingVerifier', () => {
  const bytes = blockOf(40 * KiB, 1);
  const cid = cidFor(bytes, { codec: 'raw' });

  test('hashes a block once', async () => {
    const { hash, verify } = verifier();
    await verify(cid, bytes);
    await verify(cid, Uint8Array.from(bytes));
    await verify(cidFor(bytes, { codec: 'dag-pb' }), bytes);
    expect(hash).toHaveBeenCalledTimes(1);
  });

  test('refuses a remembered block with any bit flipped, and accepts it again after a repair', async () => {
    const { verify } = verifier();
    await verify(cid, bytes);
    await fc.assert(
      fc.asyncProperty(fc.nat(bytes.length * 8 - 1), async (bit) => {
        const changed = Uint8Array.from(bytes);
        changed[bit >> 3] = (changed[bit >> 3] ?? 0) ^ (1 << (bit & 7));
        await expect(verify(cid, changed)).rejects.toEqual(corrupt);
        await expect(verify(cid, changed)).rejects.toEqual(corrupt);
        await verify(cid, bytes);
      }),
    );
  });

  test('refuses a remembered block that is shorter or longer', async () => {
    const { verify } = verifier();
    await verify(cid, bytes);
    const padded = (length: number, byte: number) => {
      const longer = new Uint8Array(bytes.length + length).fill(byte);
      longer.set(bytes);
      return longer;
    };
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 1, max: 100 }), fc.nat(255), async (length, byte) => {
        for (const wrong of [bytes.subarray(length), bytes.subarray(0, -length), padded(length, byte)])
          await expect(verify(cid, wrong)).rejects.toEqual(corrupt);
      }),
    );
  });

  test('refuses remembered bytes for the CID of other ones, of part of them, and of another hash function', async () => {
    const { hash, verify } = verifier();
    await verify(cid, bytes);
    const other = cidFor(blockOf(40 * KiB, 2), { codec: 'raw' });
    await expect(verify(other, bytes)).rejects.toEqual(corrupt);
    await expect(verify(cidFor(bytes.subarray(1), { codec: 'raw' }), bytes)).rejects.toEqual(corrupt);
    expect(hash).toHaveBeenCalledTimes(3);
    await verify(cidFor(bytes, { codec: 'raw', digestBytes: 20 }), bytes);
    await verify(cidFor(bytes, { codec: 'raw', hash: 'blake3' }), bytes);
    expect(hash).toHaveBeenCalledTimes(5);
  });

  test('never remembers a block that was refused', async () => {
    const { hash, verify } = verifier();
    const wrong = blockOf(40 * KiB, 3);
    for (let round = 0; round < 3; round++) await expect(verify(cid, wrong)).rejects.toEqual(corrupt);
    expect(hash).toHaveBeenCalledTimes(3);
  });

  test('hashes every block below 32 KiB, and every one in another verifier', async () => {
    const [first, second] = [verifier(), verifier()];
    const short = blockOf(32 * KiB - 1, 1);
    for (let round = 0; round < 2; round++) await first.verify(cidFor(short, { codec: 'raw' }), short);
    expect(first.hash).toHaveBeenCalledTimes(2);
    await first.verify(cid, bytes);
    await second.verify(cid, bytes);
    expect(second.hash).toHaveBeenCalledTimes(1);
  });

  test('hashes replaced blocks again at the limit, and refuses changed ones', async () => {
    const { hash, verify } = verifier({ blocksMax: 8 });
    const blocks = Array.from({ length: 64 }, (_, seed) => {
      const content = blockOf(32 * KiB, seed);
      return { cid: cidFor(content, { codec: 'raw' }), content };
    });
    for (const block of blocks) await verify(block.cid, block.content);
    for (const block of blocks) await verify(block.cid, block.content);
    // At least the 56 that had no room.
    expect(hash.mock.calls.length).toBeGreaterThanOrEqual(64 + 56);
    const last = blocks.at(-1);
    if (last === undefined) throw new Error('There is no block.');
    const before = hash.mock.calls.length;
    await verify(last.cid, last.content);
    expect(hash).toHaveBeenCalledTimes(before);
    for (const block of blocks) await expect(verify(block.cid, block.content.toReversed())).rejects.toEqual(corrupt);
  });

  test('refuses text', async () => {
    const { verify } = verifier();
    await expect(verify(cid, 'a'.repeat(40_000) as never)).rejects.toMatchObject({ code: 'BYTES_INVALID' });
  });
});

describe('createTagger', () => {
  test('computes one tag for equal bytes, independent of how they are divided', () => {
    const tagOf = createTagger?.();
    if (tagOf === undefined) throw new Error('There is no tagger.');
    fc.assert(
      fc.property(fc.uint8Array({ minLength: 1 }), fc.nat(), fc.nat(), (bytes, at, bit) => {
        const cut = at % bytes.length;
        const tag = Buffer.from(tagOf(bytes));
        expect(tag).toHaveLength(16);
        expect(tag.equals(tagOf(bytes.subarray(0, cut), bytes.subarray(cut)))).toBe(true);
        const changed = Uint8Array.from(bytes);
        changed[cut] = (changed[cut] ?? 0) ^ (1 << (bit % 8));
        expect(tag.equals(tagOf(changed))).toBe(false);
        expect(tag.equals(tagOf(bytes, Uint8Array.of(0)))).toBe(false);
      }),
    );
  });

  test('has a key of its own each time', () => {
    const bytes = Uint8Array.of(1, 2, 3);
    expect(createTagger?.()(bytes)).not.toEqual(createTagger?.()(bytes));
  });
});
