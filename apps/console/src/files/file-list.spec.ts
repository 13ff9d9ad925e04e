import { type CID, cidFor } from '@cairn/cid';
import type { Pin } from '@cairn/pinning';
import { expect, test } from '@jest/globals';
import { FileLists, type FileSelection } from './file-list.ts';

const day = 86_400_000;

async function cidOf(text: string): Promise<CID> {
  return cidFor(Buffer.from(text), { codec: 'raw' });
}

async function pinOf(name: string | undefined, more: Partial<Pin> = {}): Promise<Pin> {
  return {
    cid: await cidOf(`${name} ${JSON.stringify(more)}`),
    mode: 'recursive',
    name,
    createdAt: 0,
    size: { blocks: 1, bytes: 1 },
    ...more,
  };
}

/** Pins of one account; `reads` counts how often they were listed. */
function store(pins: Pin[]) {
  return {
    pins,
    reads: 0,
    async *list() {
      this.reads++;
      for (const pin of [...this.pins]) {
        await null;
        yield pin;
      }
    },
    async usage() {
      return { pins: this.pins.length, blocks: 0, bytes: this.pins.reduce((sum, { size }) => sum + size.bytes, 0) };
    },
  };
}

const all: FileSelection = { search: '', sort: 'createdAt', isDescending: true, offset: 0, limit: 100 };
const names = async (lists: FileLists, selection: Partial<FileSelection>) => {
  const { files, count } = await lists.page('a', { ...all, ...selection });
  return [files.map(({ name }) => name), count];
};

test('orders by date, name without case, and size, in both directions', async () => {
  const lists = new FileLists(
    store([
      await pinOf('beta', { createdAt: 2 * day, size: { blocks: 1, bytes: 5 } }),
      await pinOf('Alpha', { createdAt: 1 * day, size: { blocks: 1, bytes: 9 } }),
      await pinOf('gamma', { createdAt: 3 * day, size: { blocks: 1, bytes: 1 } }),
    ]),
  );
  expect(await names(lists, {})).toEqual([['gamma', 'beta', 'Alpha'], 3]);
  expect(await names(lists, { sort: 'name', isDescending: false })).toEqual([['Alpha', 'beta', 'gamma'], 3]);
  expect(await names(lists, { sort: 'name' })).toEqual([['gamma', 'beta', 'Alpha'], 3]);
  expect(await names(lists, { sort: 'bytes', isDescending: false })).toEqual([['gamma', 'beta', 'Alpha'], 3]);
});

test('pages follow each other in both directions, and end after the last file', async () => {
  const pins = await Promise.all(Array.from({ length: 25 }, (_, at) => pinOf(`file ${at}`, { createdAt: at })));
  const lists = new FileLists(store(pins));
  for (const isDescending of [true, false]) {
    const pages = [];
    for (const offset of [0, 10, 20, 30])
      pages.push(...((await names(lists, { isDescending, offset, limit: 10 }))[0] as string[]));
    const expected = pins.map(({ name }) => name);
    expect(pages).toEqual(isDescending ? expected.reverse() : expected);
  }
});

test('finds parts of names and of CIDs, without case; a file without a name has its added name', async () => {
  const lists = new FileLists(store([await pinOf('Report.pdf'), await pinOf(undefined, { addedAs: 'added.txt' })]));
  const { files } = await lists.page('a', all);
  expect(await names(lists, { search: 'REPORT' })).toEqual([['Report.pdf'], 1]);
  expect(await names(lists, { search: 'added' })).toEqual([['added.txt'], 1]);
  for (const { cid, name } of files) {
    expect(await names(lists, { search: cid.toString() })).toEqual([[name], 1]);
    expect(await names(lists, { search: cid.toString().slice(-8).toUpperCase() })).toEqual([[name], 1]);
  }
  expect(await names(lists, { search: 'absent' })).toEqual([[], 0]);
});

test('reads a long list again after a change of the usage, after its age, or after a change', async () => {
  let now = 0;
  const pins = await Promise.all(Array.from({ length: 1001 }, (_, at) => pinOf(`file ${at}`)));
  const source = store(pins);
  const lists = new FileLists(source, () => now);
  await Promise.all([lists.page('a', all), lists.page('a', { ...all, sort: 'name' })]);
  await lists.page('a', all);
  expect(source.reads).toBe(1);
  source.pins.push(await pinOf('one more'));
  expect(await names(lists, { search: 'one more' })).toEqual([['one more'], 1]);
  expect(source.reads).toBe(2);
  lists.forget('a');
  await lists.page('a', all);
  expect(source.reads).toBe(3);
  now += 30_000;
  await lists.page('a', all);
  expect(source.reads).toBe(4);
});

test('a list that changes during its read is not kept', async () => {
  const pins = await Promise.all(Array.from({ length: 1001 }, (_, at) => pinOf(`file ${at}`)));
  const source = store(pins);
  const lists = new FileLists(source);
  const reading = lists.page('a', all);
  await new Promise((resolve) => setImmediate(resolve));
  lists.forget('a');
  await reading;
  await lists.page('a', all);
  expect(source.reads).toBe(2);
});
