import { cidFor } from '@cairn/cid';
import type { ByteSource } from '@cairn/platform';
import { beforeEach, describe, expect, test } from '@jest/globals';
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

describe('the source of a CAR', () => {
  let ended = 0;
  let cancelled = 0;
  beforeEach(() => {
    ended = 0;
    cancelled = 0;
  });
  async function* bytewise(whole: Uint8Array) {
    try {
      for (const byte of whole) yield Uint8Array.of(byte);
      for (;;) yield whole.subarray(-1);
    } finally {
      ended++;
    }
  }
  const streamOf = (whole: Uint8Array) =>
    new ReadableStream<Uint8Array>({
      start: (controller) => controller.enqueue(whole),
      cancel: () => {
        cancelled++;
      },
    });

  test('ends when the consumer of the blocks stops early', async () => {
    for (const source of [bytewise(await car()), streamOf(await car())])
      for await (const _ of (await readCar(source)).blocks) break;
    expect([ended, cancelled]).toEqual([1, 1]);
  });

  test('ends after an error in the header', async () => {
    const wrong = Uint8Array.of(2, 0xff, 0xff);
    for (const source of [bytewise(wrong), streamOf(wrong)])
      await expect(readCar(source)).rejects.toMatchObject({ code: 'CAR_INVALID' });
    expect([ended, cancelled]).toEqual([1, 1]);
  });

  test('ends after an error in a block', async () => {
    const wrong = await car();
    wrong[wrong.length - 1] = 0;
    for (const source of [bytewise(wrong), streamOf(wrong)]) {
      const { blocks } = await readCar(source);
      await expect(blocks[Symbol.asyncIterator]().next()).rejects.toMatchObject({ code: 'BLOCK_CORRUPT' });
    }
    expect([ended, cancelled]).toEqual([1, 1]);
  });

  test('that fails to end does not hide the error of the CAR', async () => {
    const source = {
      [Symbol.asyncIterator]: () => ({
        next: async () => ({ done: false, value: Uint8Array.of(0) }),
        return: () => Promise.reject(new Error('cannot end')),
      }),
    };
    await expect(readCar(source as ByteSource)).rejects.toMatchObject({ code: 'CAR_INVALID' });
  });
});
