import { Readable } from 'node:stream';
import { createMemoryBlockstore } from '@cairn/blockstore';
import type { ByteSource } from '@cairn/platform';
import { describe, expect, test } from '@jest/globals';
import { expectTypeOf } from 'expect-type';
import { catFile, editFile, type FileEditOptions, importFile, importTree, type TreeEntry } from './index.ts';

const bytes = Uint8Array.from({ length: 700_000 }, (_, index) => (index * 31) % 251);
async function* chunks(...given: readonly unknown[]) {
  yield* given as Uint8Array[];
}

const sources: Readonly<Record<string, () => ByteSource>> = {
  'a Uint8Array': () => bytes,
  'a Buffer': () => Buffer.from(bytes),
  'an ArrayBuffer': () => bytes.slice().buffer,
  'a Blob': () => new Blob([bytes]),
  'a ReadableStream': () => new Blob([bytes]).stream() as ReadableStream<Uint8Array>,
  'a stream of Node': () => Readable.from([Buffer.from(bytes)]),
  'a list of chunks': () => [bytes.subarray(0, 1000), bytes.subarray(1000)],
  'an async iterable': () => chunks(bytes.subarray(0, 300_000), bytes.subarray(300_000)),
};
/** Computes the expected CID with importFile over a stream of chunks, which other specs compare with Kubo. */
const expected = async () => (await importFile(chunks(bytes), createMemoryBlockstore())).cid.toString();

describe.each(Object.entries(sources))('%s', (_, source) => {
  test('importFile returns the same CID for this source of bytes', async () => {
    const { cid, fileSize } = await importFile(source(), createMemoryBlockstore());
    expect([cid.toString(), fileSize]).toEqual([await expected(), bytes.length]);
  });

  test('importTree accepts this source as content', async () => {
    const cids: string[] = [];
    for await (const { cid } of importTree([{ path: 'a', content: source() }], createMemoryBlockstore()))
      cids.push(cid.toString());
    expect(cids).toEqual([await expected()]);
  });

  test('editFile writes the bytes of this source', async () => {
    const store = createMemoryBlockstore();
    const { cid } = await editFile(store, undefined, source());
    const read: Uint8Array[] = [];
    for await (const chunk of catFile(store, cid)) read.push(chunk);
    expect(Buffer.concat(read).equals(bytes)).toBe(true);
  });
});

const refusals: readonly (readonly [string, () => unknown, string, string])[] = [
  ['text', () => 'hello', 'source', 'a string of 5 characters'],
  ['a number', () => 3, 'source', 'a number'],
  ['nothing', () => undefined, 'source', 'undefined'],
  ['a list of numbers', () => [104, 105], 'source, chunk 0', 'a number'],
  ['a stream of texts', () => chunks('hello'), 'source, chunk 0', 'a string of 5 characters'],
  ['a view of other elements', () => new Uint16Array(2), 'source', 'an object (Uint16Array)'],
  ['a promise of bytes', () => Promise.resolve(bytes), 'source', 'an object (Promise)'],
];

describe.each(refusals)('%s', (_, source, parameter, got) => {
  const refused = expect.objectContaining({
    code: 'BYTES_INVALID',
    hint: expect.stringMatching(/Pass|Encode|Await/),
    details: { parameter, got },
  });

  test('importFile and editFile refuse this source and write no block', async () => {
    const store = createMemoryBlockstore();
    await expect(importFile(source() as ByteSource, store)).rejects.toThrow(refused);
    await expect(editFile(store, undefined, source() as ByteSource)).rejects.toThrow(refused);
    expect(await store.stats()).toEqual({ blocks: 0, bytes: 0 });
  });
});

test('importTree names the entry whose content is not bytes', async () => {
  const entries = [{ path: 'docs/a.txt', content: 'hello' }] as unknown as TreeEntry[];
  await expect(importTree(entries, createMemoryBlockstore()).next()).rejects.toThrow(
    expect.objectContaining({
      code: 'BYTES_INVALID',
      message: expect.stringContaining('content of "docs/a.txt": expected'),
    }),
  );
});

test.each<[string, unknown]>([
  ['text', 'hello'],
  ['bytes', bytes],
  ['a list of nothing', [undefined]],
])('importTree refuses %s in place of entries', async (_, entries) => {
  await expect(importTree(entries as TreeEntry[], createMemoryBlockstore()).next()).rejects.toThrow(
    expect.objectContaining({ code: 'OPTION_INVALID', message: expect.stringContaining('entry 0 has no path') }),
  );
});

test('types accept sources of bytes and refuse text and numbers', () => {
  const store = createMemoryBlockstore();
  expectTypeOf(importFile).toBeCallableWith(bytes, store);
  expectTypeOf(importFile).toBeCallableWith(new Blob([]), store);
  expectTypeOf(editFile).toBeCallableWith(store, undefined, bytes, {} as FileEditOptions);
  expectTypeOf<Uint8Array>().toExtend<TreeEntry['content']>();
  expectTypeOf<string>().not.toExtend<Parameters<typeof importFile>[0]>();
  expectTypeOf<number[]>().not.toExtend<Parameters<typeof importFile>[0]>();
  expectTypeOf<string>().not.toExtend<TreeEntry['content']>();
});
