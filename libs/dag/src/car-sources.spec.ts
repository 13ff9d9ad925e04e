import { cidFor } from '@cairn/cid';
import type { ByteSource } from '@cairn/platform';
import { expect, test } from '@jest/globals';
import { readCar, writeCar } from './index.ts';

const bytes = new TextEncoder().encode('content of a block');
const block = { cid: cidFor(bytes, { codec: 'raw' }), bytes };

async function car(): Promise<Uint8Array> {
  const parts: Uint8Array[] = [];
  for await (const part of writeCar([block.cid], [block])) parts.push(part);
  return Uint8Array.from(Buffer.concat(parts));
}

test.each<[string, (whole: Uint8Array) => ByteSource]>([
  ['a Uint8Array', (whole) => whole],
  ['an ArrayBuffer', (whole) => whole.slice().buffer],
  ['a Blob', (whole) => new Blob([whole.slice()])],
  ['a ReadableStream', (whole) => new Blob([whole.slice()]).stream() as ReadableStream<Uint8Array>],
  ['a list of chunks', (whole) => [whole.subarray(0, 9), whole.subarray(9)]],
])('readCar accepts %s', async (_, source) => {
  const { roots, blocks } = await readCar(source(await car()));
  expect(roots.map(String)).toEqual([block.cid.toString()]);
  const read: string[] = [];
  for await (const each of blocks) read.push(Buffer.from(each.bytes).toString());
  expect(read).toEqual(['content of a block']);
});

test.each<[string, unknown, string]>([
  ['text', 'hello', 'source'],
  ['numbers', [1, 2], 'source, chunk 0'],
])('readCar refuses %s', async (_, source, parameter) => {
  await expect(readCar(source as ByteSource)).rejects.toThrow(
    expect.objectContaining({ code: 'BYTES_INVALID', details: expect.objectContaining({ parameter }) }),
  );
});

test.each<[string, unknown]>([
  ['bytes', bytes],
  ['text', 'hello'],
  ['blocks whose bytes are text', [{ ...block, bytes: 'content' }]],
])('writeCar refuses %s in place of blocks', async (_, blocks) => {
  const parts = writeCar([block.cid], blocks as []);
  await parts.next();
  await expect(parts.next()).rejects.toThrow(
    expect.objectContaining({ code: 'BYTES_INVALID', message: expect.stringContaining('bytes of block 0: expected') }),
  );
});
