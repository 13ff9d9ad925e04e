import { expect, test } from '@jest/globals';
import { decodeBlocks, encodeBlocks } from './block-frames.ts';

const blocks = [0, 1, 100, 40_000, 32 * 1024, 0, 262_144, 7].map((length, index) => ({
  id: index * 1000,
  bytes: Buffer.alloc(length, index + 1),
}));
const plain = (list: readonly { readonly id: number; readonly bytes: Uint8Array }[]) =>
  list.map(({ id, bytes }) => [id, Buffer.from(bytes).toString('hex')]);

test('blocks survive the encoding', () => {
  expect(plain(decodeBlocks(encodeBlocks(blocks)))).toEqual(plain(blocks));
  expect(decodeBlocks(encodeBlocks([]))).toEqual([]);
});

test('the boundaries of fragments do not matter', () => {
  const message = Buffer.concat(encodeBlocks(blocks));
  const pieces: Buffer[] = [];
  for (let at = 0; at < message.length; at += 1009) pieces.push(message.subarray(at, at + 1009));
  expect(plain(decodeBlocks([message]))).toEqual(plain(blocks));
  expect(plain(decodeBlocks(pieces))).toEqual(plain(blocks));
});

test('long blocks are not copied, and short ones are joined', () => {
  const long = Buffer.alloc(100_000, 1);
  const parts = encodeBlocks([
    { id: 1, bytes: Buffer.alloc(10) },
    { id: 2, bytes: Buffer.alloc(10) },
    { id: 3, bytes: long },
  ]);
  expect(parts).toHaveLength(2);
  expect(parts[1]).toBe(long);
});

test('a message of another format is refused', () => {
  const message = Buffer.concat(encodeBlocks(blocks));
  expect(() => decodeBlocks([])).toThrow(RangeError);
  expect(() => decodeBlocks([message.subarray(0, -1)])).toThrow(RangeError);
  expect(() => decodeBlocks([message, Buffer.of(0)])).toThrow(RangeError);
  expect(() => decodeBlocks([Buffer.alloc(4, 0xff)])).toThrow(RangeError);
});
