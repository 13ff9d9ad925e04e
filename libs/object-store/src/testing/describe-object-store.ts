import { createHash, randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { objectStoreLimits } from '../limits.ts';
import type { ObjectStore } from '../object-store.ts';

/** Contract suite of an {@link ObjectStore}. `create` opens an empty store. */
export function describeObjectStore(name: string, create: () => Promise<ObjectStore> | ObjectStore): void {
  describe(`${name} as an ObjectStore`, () => {
    let store: ObjectStore;
    beforeAll(async () => {
      store = await create();
    });
    afterAll(() => store.close());

    test('get returns the bytes of put, whole and in ranges', async () => {
      const bytes = randomBytes(100_000);
      await store.put('a/whole', bytes);
      expect(bytes.equals(await store.get('a/whole'))).toBe(true);
      expect(bytes.subarray(5, 77).equals(await store.get('a/whole', { range: { offset: 5, length: 72 } }))).toBe(true);
      const last = { range: { offset: 99_999, length: 1 } };
      expect(bytes.subarray(99_999).equals(await store.get('a/whole', last))).toBe(true);
      expect((await store.get('a/whole', { range: { offset: 0, length: 0 } })).length).toBe(0);
    });

    test('put writes several parts as one object, and an empty object', async () => {
      const parts = [randomBytes(10), randomBytes(70_000), randomBytes(0), randomBytes(3)];
      const sha256 = createHash('sha256').update(Buffer.concat(parts)).digest();
      await store.put('a/parts', parts, { sha256 });
      expect(Buffer.concat(parts).equals(await store.get('a/parts'))).toBe(true);
      await store.put('a/empty', new Uint8Array(0));
      expect((await store.get('a/empty')).length).toBe(0);
    });

    test('put replaces an object, and refuses to with ifAbsent', async () => {
      await store.put('b', Buffer.from('1'));
      await store.put('b', Buffer.from('2'));
      await expect(store.put('b', Buffer.from('3'), { ifAbsent: true })).rejects.toMatchObject({
        code: 'OBJECT_EXISTS',
      });
      expect(Buffer.from(await store.get('b')).toString()).toBe('2');
    });

    test('one of many concurrent writers with ifAbsent succeeds', async () => {
      const writes = Array.from({ length: 16 }, (_, n) => store.put('raced', Buffer.from([n]), { ifAbsent: true }));
      const results = await Promise.allSettled(writes);
      const winners = results.flatMap(({ status }, index) => (status === 'fulfilled' ? [index] : []));
      expect(winners).toHaveLength(1);
      expect([...(await store.get('raced'))]).toEqual(winners);
    });

    test('put refuses bytes that differ from their checksum', async () => {
      const refused = store.put('wrong', randomBytes(1000), { sha256: randomBytes(32) });
      await expect(refused).rejects.toMatchObject({ code: 'OBJECT_CHECKSUM_MISMATCH' });
      expect(await store.stat('wrong')).toBeUndefined();
    });

    test('get of an absent object, of a range beyond its end, and of too many bytes throws', async () => {
      await store.put('short', Buffer.from('12345'));
      await expect(store.get('absent')).rejects.toMatchObject({ code: 'OBJECT_NOT_FOUND', details: { key: 'absent' } });
      const invalid = { code: 'OBJECT_RANGE_INVALID' };
      await expect(store.get('short', { range: { offset: 3, length: 3 } })).rejects.toMatchObject(invalid);
      const end = await store.get('short', { range: { offset: 3, length: 9, mayBeShort: true } });
      expect(Buffer.from(end).toString()).toBe('45');
      await expect(store.get('short', { range: { offset: 5, length: 1, mayBeShort: true } })).rejects.toMatchObject(
        invalid,
      );
      await expect(store.get('short', { range: { offset: 9, length: 1 } })).rejects.toMatchObject(invalid);
      await expect(store.get('short', { bytesMax: 4 })).rejects.toMatchObject({ code: 'OBJECT_TOO_LARGE' });
    });

    test.each(['', '/a', 'a/', 'a//b', '../a', 'a/..', 'a b', 'ä'])('refuses the key %j', (key) =>
      refusesKey(store, key),
    );

    test('refuses a key above the limit', () => refusesKey(store, 'a'.repeat(objectStoreLimits.keyBytesMax + 1)));

    test('put refuses an object of more bytes than the limit', async () => {
      const parts = Array<Uint8Array>(objectStoreLimits.objectBytesMax / 2 ** 20 + 1).fill(new Uint8Array(2 ** 20));
      await expect(store.put('large', parts)).rejects.toMatchObject({ code: 'OBJECT_TOO_LARGE' });
    });

    test('putStream and stream move an object of several parts', async () => {
      const chunk = randomBytes(1_000_003);
      const count = Math.ceil((objectStoreLimits.partBytes * 2.5) / chunk.length);
      const hash = createHash('sha256');
      async function* source() {
        for (let n = 0; n < count; n++) {
          hash.update(chunk);
          yield chunk;
        }
      }
      const written = await store.putStream('stream/long', source());
      expect(written.bytes).toBe(count * chunk.length);
      expect(Buffer.from(written.sha256).equals(hash.digest())).toBe(true);
      expect(await hashOf(store.stream('stream/long'))).toEqual({ ...written, sha256: Buffer.from(written.sha256) });
      expect((await store.stat('stream/long'))?.bytes).toBe(written.bytes);
    });

    test('putStream and stream move a short and an empty object', async () => {
      for (const length of [0, 5]) {
        const bytes = randomBytes(length);
        const written = await store.putStream(`stream/${length}`, asSource([bytes]));
        expect(written.bytes).toBe(length);
        expect((await hashOf(store.stream(`stream/${length}`))).sha256.equals(Buffer.from(written.sha256))).toBe(true);
      }
    });

    test('a source that throws leaves no object', async () => {
      async function* source() {
        yield randomBytes(objectStoreLimits.partBytes + 1);
        throw new Error('source');
      }
      await expect(store.putStream('stream/broken', source())).rejects.toThrow('source');
      expect(await store.stat('stream/broken')).toBeUndefined();
    });

    test('list reports keys below a prefix with their lengths and times, after a key', async () => {
      const keys = ['list/1', 'list/2', 'list/3', 'other/1'];
      for (const [index, key] of keys.entries()) await store.put(key, randomBytes(index + 1));
      const infos = await all(store.list('list/'));
      expect(infos.map(({ key, bytes }) => [key, bytes])).toEqual([
        ['list/1', 1],
        ['list/2', 2],
        ['list/3', 3],
      ]);
      expect(Math.abs((infos[0]?.modifiedAt.getTime() ?? 0) - Date.now())).toBeLessThan(600_000);
      expect((await all(store.list('list/', { after: 'list/2' }))).map(({ key }) => key)).toEqual(['list/3']);
      expect(await all(store.list('none/'))).toEqual([]);
    });

    test('deleteMany removes objects, also absent ones and more than one request holds', async () => {
      const keys = Array.from({ length: 40 }, (_, n) => `gone/${n}`);
      await Promise.all(keys.map((key) => store.put(key, Buffer.from('x'))));
      await store.deleteMany([...keys, ...Array.from({ length: 1500 }, (_, n) => `gone/absent-${n}`)]);
      expect(await all(store.list('gone/'))).toEqual([]);
      await store.deleteMany([]);
    });

    test('an aborted call throws the reason of its signal', async () => {
      const reason = new Error('stopped');
      const signal = AbortSignal.abort(reason);
      await expect(store.get('b', { signal })).rejects.toBe(reason);
      await expect(store.put('aborted', Buffer.from('1'), { signal })).rejects.toBe(reason);
      expect(await store.stat('aborted')).toBeUndefined();
    });

    test('traffic counts requests and bytes of each operation', async () => {
      const before = store.traffic();
      await store.put('counted', randomBytes(1000));
      await store.get('counted', { range: { offset: 0, length: 10 } });
      const { put, get } = store.traffic();
      expect([put.requests - before.put.requests, put.bytesSent - before.put.bytesSent]).toEqual([1, 1000]);
      expect([get.requests - before.get.requests, get.bytesReceived - before.get.bytesReceived]).toEqual([1, 10]);
    });

    test('a closed store refuses calls', async () => {
      const other = await create();
      await other.close();
      await expect(other.get('b')).rejects.toMatchObject({ code: 'OBJECT_STORE_CLOSED' });
    });
  });
}

async function refusesKey(store: ObjectStore, key: string): Promise<void> {
  const invalid = { code: 'OBJECT_KEY_INVALID' };
  await expect(store.put(key, Buffer.from('1'))).rejects.toMatchObject(invalid);
  await expect(store.get(key)).rejects.toMatchObject(invalid);
  await expect(store.deleteMany([key])).rejects.toMatchObject(invalid);
}

async function* asSource(chunks: readonly Uint8Array[]) {
  yield* chunks;
}

async function all<Item>(items: AsyncIterable<Item>): Promise<Item[]> {
  const list: Item[] = [];
  for await (const item of items) list.push(item);
  return list;
}

async function hashOf(chunks: AsyncIterable<Uint8Array>) {
  const hash = createHash('sha256');
  let bytes = 0;
  for await (const chunk of chunks) {
    hash.update(chunk);
    bytes += chunk.length;
  }
  return { bytes, sha256: hash.digest() };
}
