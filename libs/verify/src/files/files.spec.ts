import { type Block, createMemoryBlockstore } from '@cairn/blockstore/core';
import { type CID, cidFor, keccak256 } from '@cairn/cid';
import { writeCar } from '@cairn/dag';
import { importTree } from '@cairn/unixfs';
import { beforeAll, expect, test } from '@jest/globals';
import { readVerifiedCar, verifyCid, verifyFile } from './index.ts';

const content = Uint8Array.from({ length: 700_000 }, (_, at) => (at * 7 + (at >> 8)) & 255);
const blocks: Block[] = [];
let root: CID;
let car: Uint8Array;

async function joined(chunks: AsyncIterable<Uint8Array>): Promise<Uint8Array> {
  const list: Uint8Array[] = [];
  for await (const chunk of chunks) list.push(chunk);
  return new Uint8Array(Buffer.concat(list));
}
const failsWith = (code: string) => expect.objectContaining({ code });

beforeAll(async () => {
  const store = createMemoryBlockstore();
  const recording: Pick<typeof store, 'putMany'> = {
    putMany: async (given, options) => {
      blocks.push(...given);
      return store.putMany(given, options);
    },
  };
  for await (const { cid } of importTree([{ path: 'dir/file.bin', content }], recording)) root = cid;
  car = await joined(writeCar([root], blocks));
});

test('verifyCid accepts the content of a CID and refuses other bytes', () => {
  const bytes = content.subarray(0, 100);
  const cid = cidFor(bytes, { codec: 'raw' });
  verifyCid(String(cid), bytes);
  expect(() => verifyCid(cid, bytes.subarray(1))).toThrow(failsWith('BLOCK_CORRUPT'));
});

test('verifyFile reads a file of a CAR by its path', async () => {
  const source = await readVerifiedCar(car);
  expect(source.roots.map(String)).toEqual([String(root)]);
  expect(keccak256(await joined(verifyFile(source, `${root}/file.bin`)))).toEqual(keccak256(content));
  const part = await joined(verifyFile(source, `${root}/file.bin`, { offset: 500_000, length: 10 }));
  expect(part).toEqual(content.subarray(500_000, 500_010));
});

test('readVerifiedCar refuses a changed block, a truncated CAR and too many bytes', async () => {
  await expect(readVerifiedCar(car.with(-10, (car.at(-10) as number) ^ 1))).rejects.toEqual(failsWith('BLOCK_CORRUPT'));
  await expect(readVerifiedCar(car.subarray(0, -10))).rejects.toEqual(failsWith('CAR_INVALID'));
  await expect(readVerifiedCar(car, { bytesMax: 600_000 })).rejects.toEqual(failsWith('WITNESS_TOO_LARGE'));
});

test('verifyFile refuses wrong blocks of any source, and blocks that are absent', async () => {
  const source = await readVerifiedCar(car);
  const lying = {
    get: async (cid: CID) => {
      const bytes = await source.get(cid);
      return bytes.length > 100_000 ? bytes.with(5, (bytes[5] as number) ^ 1) : bytes;
    },
  };
  await expect(joined(verifyFile(lying, `${root}/file.bin`))).rejects.toEqual(failsWith('BLOCK_CORRUPT'));
  await expect(joined(verifyFile(source, `${cidFor(content, { codec: 'raw' })}`))).rejects.toEqual(
    failsWith('BLOCK_NOT_FOUND'),
  );
});
