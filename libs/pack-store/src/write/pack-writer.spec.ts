import { cidFor } from '@cairn/cid';
import type { ObjectStore } from '@cairn/object-store';
import { createMemoryObjectStore, ObjectStoreError } from '@cairn/object-store';
import { expect, test } from '@jest/globals';
import { readPackEntries } from '../pack/read-pack-entries.ts';
import type { StoredPack } from '../types.ts';
import { createPackWriter, type PackWriterOptions } from './pack-writer.ts';

const blockOf = (text: string, length = text.length) => {
  const bytes = Buffer.alloc(length);
  bytes.write(text);
  return { bytes, cid: cidFor(bytes, { codec: 'raw' }) };
};

interface Indexed extends StoredPack {
  readonly tags: readonly (readonly number[])[];
}

/** Writer over memory whose uploads and index can be made to fail or to wait. */
function setUp(options: Partial<PackWriterOptions> = {}) {
  const memory = createMemoryObjectStore();
  const indexed: Indexed[] = [];
  /** Long buffers of each uploaded pack. */
  const sent: Set<ArrayBufferLike>[] = [];
  const faults = { put: [] as (() => Promise<void>)[], onPack: [] as (() => Promise<void>)[] };
  const objects: ObjectStore = new Proxy(memory, {
    get: (target, name) =>
      name === 'put'
        ? async (...parameters: Parameters<ObjectStore['put']>) => {
            await faults.put.shift()?.();
            const buffers = [parameters[1]].flat().map(({ buffer }) => buffer);
            sent.push(new Set(buffers.filter(({ byteLength }) => byteLength > 1_000_000)));
            return target.put(...parameters);
          }
        : Reflect.get(target, name).bind?.(target),
  });
  const writer = createPackWriter({
    objects,
    async onPack(pack, tags) {
      await faults.onPack.shift()?.();
      indexed.push({ ...pack, tags: tags.map((one) => [...one]) });
    },
    ...options,
  });
  return { memory, indexed, sent, faults, writer };
}

const failure = async () => {
  throw new Error('away');
};

test('blocks of concurrent writers share a pack, with the owners of each block', async () => {
  const { memory, indexed, writer } = setUp();
  const clients = Array.from({ length: 30 }, async (_, client) => {
    await writer.add([blockOf(`block ${client}`), blockOf('shared')], client + 1);
    await writer.flush();
  });
  await Promise.all(clients);
  expect(indexed).toHaveLength(1);
  const [pack] = indexed;
  expect(pack?.entries).toHaveLength(31);
  expect(pack?.tags[1]).toHaveLength(30);
  const bytes = memory.objects.get(pack?.key ?? '')?.bytes;
  expect(bytes?.length).toBe(pack?.bytes);
  expect(await readPackEntries(memory, { key: pack?.key ?? '', bytes: pack?.bytes ?? 0 })).toEqual(pack?.entries);
  await writer.close();
});

test('pending returns accepted blocks until the index has them', async () => {
  const { writer } = setUp();
  const block = blockOf('pending');
  expect(writer.pending(block.cid.multihash.bytes)).toBeUndefined();
  await writer.add([block], 1);
  block.bytes.fill(0);
  expect(Buffer.from(writer.pending(block.cid.multihash.bytes) ?? []).toString()).toBe('pending');
  expect(writer.pendingBytes).toBeGreaterThan(7);
  await writer.flush();
  expect(writer.pending(block.cid.multihash.bytes)).toBeUndefined();
  expect(writer.pendingBytes).toBe(0);
  await writer.close();
});

test('a pack uses buffers of written packs again, unless a reader has bytes of them', async () => {
  const { memory, indexed, sent, writer } = setUp({ packBytes: 4_000_000, waitMs: 60_000, quietMs: 60_000 });
  // A pack has seven blocks. The first block of the next pack closes it, so that the writer is never idle.
  const blocks = Array.from({ length: 36 }, (_, n) => blockOf(`block ${n}`, 500_000));
  const fill = async (start: number, end: number, packs: number) => {
    await writer.add(blocks.slice(start, end), 1);
    while (indexed.length < packs || writer.pendingBytes > 600_000)
      await new Promise((resolve) => setImmediate(resolve));
  };
  await fill(0, 8, 1);
  await fill(8, 15, 2);
  const read = writer.pending(blocks[14]?.cid.multihash.bytes ?? new Uint8Array());
  await fill(15, 22, 3);
  await fill(22, 29, 4);
  await fill(29, 36, 5);
  const isShared = (one: number, other: number) => [...(sent[one] ?? [])].some((buffer) => sent[other]?.has(buffer));
  expect([isShared(0, 1), isShared(2, 3), isShared(2, 4), isShared(3, 4)]).toEqual([true, false, false, true]);
  expect(blocks[14]?.bytes.equals(read ?? new Uint8Array())).toBe(true);
  for (const { key, entries } of indexed)
    for (const { cid, offset, length } of entries)
      expect(cidFor(await memory.get(key, { range: { offset, length } }), { codec: 'raw' })).toEqual(cid);
  await writer.close();
});

test('a flush with nothing to write resolves', async () => {
  const { memory, writer } = setUp();
  await writer.flush();
  expect(memory.traffic().put.requests).toBe(0);
  await writer.close();
});

test('packs close at their length, and bytes in memory are bounded', async () => {
  const { memory, indexed, writer } = setUp({ packBytes: 100_000, pendingBytesMax: 300_000, uploadsMax: 2 });
  let pendingMax = 0;
  const clients = Array.from({ length: 8 }, async (_, client) => {
    for (let n = 0; n < 50; n++) {
      await writer.add([blockOf(`${client} ${n}`, 10_000)], client);
      pendingMax = Math.max(pendingMax, writer.pendingBytes);
    }
  });
  await Promise.all(clients);
  await writer.flush();
  expect(pendingMax).toBeLessThan(300_000 + 10_100);
  expect(indexed.flatMap(({ entries }) => entries)).toHaveLength(400);
  expect(memory.traffic().put.requests).toBeLessThanOrEqual(45);
  await writer.close();
});

test('a failed upload fails each flush until one succeeds, also for blocks that were accepted before the failure', async () => {
  const { indexed, faults, writer } = setUp();
  faults.put = [failure, failure];
  await writer.add([blockOf('kept')], 1);
  await expect(writer.flush()).rejects.toThrow('away');
  await writer.add([blockOf('later'), blockOf('kept')], 2);
  await expect(writer.flush()).rejects.toThrow('away');
  expect(writer.pending(blockOf('kept').cid.multihash.bytes)).toBeDefined();
  await writer.flush();
  expect(indexed.flatMap(({ entries }) => entries)).toHaveLength(2);
  expect(indexed.find(({ entries }) => entries[0]?.length === 4)?.tags).toEqual([[1, 2]]);
  await writer.close();
});

test('a failed onPack is called again without another upload', async () => {
  const { memory, indexed, faults, writer } = setUp();
  faults.onPack = [failure];
  await writer.add([blockOf('block')], 1);
  await expect(writer.flush()).rejects.toThrow('away');
  await writer.flush();
  expect(indexed).toHaveLength(1);
  expect(memory.traffic().put.requests).toBe(1);
  await writer.close();
});

test('adds fail while failed packs fill the memory, and continue afterwards', async () => {
  const { indexed, faults, writer } = setUp({ packBytes: 10_000, pendingBytesMax: 30_000 });
  faults.put = Array.from({ length: 20 }, () => failure);
  const add = async (n: number) => writer.add([blockOf(`${n}`, 9_000)], 1);
  let refused = 0;
  let accepted = 0;
  for (let n = 0; n < 40; n++) {
    const isAccepted = await add(n).then(
      () => true,
      () => false,
    );
    if (isAccepted) accepted++;
    else refused++;
    expect(writer.pendingBytes).toBeLessThan(45_000);
  }
  expect(refused).toBeGreaterThan(0);
  await writer.flush();
  expect(indexed.flatMap(({ entries }) => entries)).toHaveLength(accepted);
  await writer.close();
});

test('a flush, and an add that waits for room, reject at the first failure while other uploads hang', async () => {
  const { indexed, faults, writer } = setUp({ packBytes: 10_000, pendingBytesMax: 35_000, uploadsMax: 4 });
  const ends: (() => void)[] = [];
  const hang = () => new Promise<void>((end) => ends.push(end));
  const unavailable = async () => {
    throw new ObjectStoreError('OBJECT_STORE_UNAVAILABLE', 'away');
  };
  faults.put = [hang, hang, hang, unavailable];
  for (let n = 0; n < 4; n++) await writer.add([blockOf(`${n}`, 9_900)], 1);
  expect(writer.isFailing).toBe(false);
  const flushed = writer.flush();
  const added = writer.add([blockOf('4', 9_900)], 1);
  await expect(flushed).rejects.toMatchObject({ code: 'OBJECT_STORE_UNAVAILABLE' });
  await expect(added).rejects.toMatchObject({ code: 'OBJECT_STORE_UNAVAILABLE' });
  expect(writer.isFailing).toBe(true);
  expect(ends).toHaveLength(3);
  for (const end of ends) end();
  await writer.flush();
  expect(writer.isFailing).toBe(false);
  expect(indexed.flatMap(({ entries }) => entries)).toHaveLength(4);
  await writer.close();
});

test('a block that is added while its pack is being indexed is written again for its new owner', async () => {
  const { indexed, faults, writer } = setUp();
  let release = () => {};
  const isIndexing = new Promise<void>((started) => {
    faults.onPack = [
      () => {
        started();
        return new Promise<void>((done) => {
          release = done;
        });
      },
    ];
  });
  await writer.add([blockOf('both')], 1);
  const first = writer.flush();
  await isIndexing;
  await writer.add([blockOf('both')], 2);
  const second = writer.flush();
  release();
  await Promise.all([first, second]);
  expect(indexed.map(({ tags }) => tags)).toEqual([[[1]], [[2]]]);
  await writer.close();
});

test('a block above the length of a pack is refused, and none of its batch is stored', async () => {
  const { writer } = setUp({ packBytes: 1000 });
  await expect(writer.add([blockOf('small'), blockOf('large', 1001)], 1)).rejects.toMatchObject({
    code: 'PACK_BLOCK_TOO_LARGE',
  });
  expect(writer.pendingBytes).toBe(0);
  await writer.close();
});

test('close ends an upload and refuses later calls', async () => {
  const { indexed, faults, writer } = setUp();
  faults.put = [() => new Promise((resolve) => setTimeout(resolve, 20))];
  await writer.add([blockOf('lost')], 1);
  const flushed = writer.flush();
  await writer.close();
  await expect(flushed).rejects.toMatchObject({ code: 'PACK_WRITER_CLOSED' });
  await expect(writer.add([blockOf('x')], 1)).rejects.toMatchObject({ code: 'PACK_WRITER_CLOSED' });
  expect(indexed).toEqual([]);
});
