import { BufferPool, createHashedBlock } from '@cairn/blockstore';
import { describeBlockstore, describeCollectable, rawBlock } from '@cairn/blockstore/testing';
import { createMemoryObjectStore, ObjectStoreError } from '@cairn/object-store';
import { openS3ObjectStore } from '@cairn/object-store/s3';
import { openPostgres } from '@cairn/postgres';
import { expect, test } from '@jest/globals';
import { describeWithPostgres, describeWithS3 } from '../../../tools/engines/jest.mjs';
import { openPackBlockstore, type PackBlockstoreOptions } from './index.ts';

describeWithPostgres('openPackBlockstore', (postgres) => {
  describeWithS3('over SeaweedFS', (s3) => {
    const open = async (options: Partial<PackBlockstoreOptions> = {}) => {
      const database = await openPostgres({ url: await postgres().createDatabase(), connectionsMax: 4 });
      const objects = await openS3ObjectStore({ url: s3().createStore(), credentials: s3(), probe: false });
      const store = await openPackBlockstore({ database, objects, ...options });
      const close = store.close.bind(store);
      return Object.assign(store, {
        objects,
        database,
        async close() {
          await close();
          await objects.close();
          await database.close();
        },
      });
    };

    describeBlockstore('packs in S3', () => open());
    describeCollectable('packs in S3', (now) => open({ now }));

    test('getMany and sizeMany return pending and stored blocks, and undefined for absent and quarantined ones', async () => {
      const store = await open();
      const [stored, pending, absent, corrupt] = ['stored', 'pending block', 'absent', 'corrupt'].map(rawBlock);
      if (!stored || !pending || !absent || !corrupt) throw new Error('no blocks');
      await store.putMany([stored, corrupt]);
      await store.sync();
      await store.quarantine(corrupt.cid);
      await store.putMany([pending]);
      const cids = [absent, pending, corrupt, stored].map(({ cid }) => cid);
      expect(await store.sizeMany(cids)).toEqual([undefined, 13, undefined, 6]);
      const texts = (await store.getMany(cids)).map((bytes) => bytes && Buffer.from(bytes).toString());
      expect(texts).toEqual([undefined, 'pending block', undefined, 'stored']);
      await store.close();
    });

    test('a claim of best effort takes stored blocks, and waits for no further attempt of a failed upload', async () => {
      const objects = createMemoryObjectStore();
      const put = objects.put.bind(objects);
      let uploads = 0;
      let isAway = false;
      objects.put = async (...parameters) => {
        uploads++;
        if (isAway) throw new ObjectStoreError('OBJECT_STORE_UNAVAILABLE', 'away');
        return await put(...parameters);
      };
      const database = await openPostgres({ url: await postgres().createDatabase(), connectionsMax: 4 });
      const store = await openPackBlockstore({ database, objects });
      const claimed = async () => {
        const claims = [];
        for await (const { cid } of store.claims(7)) claims.push(cid.toString());
        return claims;
      };
      const [stored, pending] = [rawBlock('stored'), rawBlock('pending')];
      const cids = [stored.cid, pending.cid];
      await store.putMany([stored], { owner: 7 });
      await store.sync();
      isAway = true;
      await store.putMany([pending], { owner: 7 });
      await expect(store.sync()).rejects.toMatchObject({ code: 'OBJECT_STORE_UNAVAILABLE' });
      expect(uploads).toBe(2);
      await store.claimMany(cids, 7, { isLeftover: true, isBestEffort: true });
      expect(uploads).toBe(2);
      expect(await claimed()).toEqual([`${stored.cid}`]);
      isAway = false;
      await store.claimMany(cids, 7, { isLeftover: true });
      expect(await claimed()).toEqual(expect.arrayContaining(cids.map(String)));
      await store.close();
      await database.close();
    });

    test('putMany gives lent buffers back, also those of known blocks', async () => {
      const store = await open();
      const pool = new BufferPool({ bytesMax: 1_000_000 });
      const put = async (text: string) => {
        const bytes = pool.take(200_000)?.fill(0) ?? new Uint8Array();
        bytes.set(Buffer.from(text));
        const block = createHashedBlock(bytes, { codec: 'raw' }, pool);
        await store.putMany([block]);
        return block.cid;
      };
      const cids = [await put('one'), await put('two'), await put('one')];
      expect(pool.freeBytes).toBe(196_608 + 65_536);
      await store.sync();
      for (const [at, text] of ['one', 'two', 'one'].entries()) {
        const [cid] = cids.slice(at);
        expect(cid && Buffer.from(await store.get(cid)).toString('utf8', 0, 3)).toBe(text);
      }
      await store.close();
    });

    test('a put of known blocks and a lookup send no request to S3', async () => {
      const store = await open();
      const blocks = Array.from({ length: 300 }, (_, n) => rawBlock(`block ${n}`));
      await store.putMany(blocks, { owner: 7 });
      await store.sync();
      const before = store.objects.traffic();
      expect(before.put.requests).toBe(1);
      await store.putMany(blocks, { owner: 8 });
      await store.sync();
      await store.touchMany(blocks.map(({ cid }) => cid));
      for (const { cid } of blocks) expect(await store.has(cid)).toBe(true);
      await store.sizeMany(blocks.map(({ cid }) => cid));
      expect(store.objects.traffic()).toEqual(before);
      await store.close();
    });

    test('rowAgeMsMax spares the lookups of repeated reads, and never shows a block that this process removed', async () => {
      const store = await open({ rowAgeMsMax: 60_000 });
      const [hot, corrupt] = [rawBlock('hot'), rawBlock('corrupt')];
      await store.putMany([hot, corrupt]);
      await store.sync();
      await store.get(hot.cid);
      await store.get(corrupt.cid);
      const { statements } = store.database.state();
      for (let time = 0; time < 20; time++) expect(Buffer.from(await store.get(hot.cid)).toString()).toBe('hot');
      // Renewals of the process may run meanwhile.
      expect(store.database.state().statements - statements).toBeLessThan(10);
      await store.quarantine(corrupt.cid);
      await expect(store.get(corrupt.cid)).rejects.toMatchObject({ code: 'BLOCK_CORRUPT' });
      await store.delete(hot.cid);
      await expect(store.get(hot.cid)).rejects.toMatchObject({ code: 'BLOCK_NOT_FOUND' });
      await store.close();
    });

    test('putMany refuses blocks beyond bytesMax, and accepts them once there is room', async () => {
      const store = await open({ bytesMax: 10 });
      await store.putMany([rawBlock('12345678')]);
      await expect(store.putMany([rawBlock('abc')])).rejects.toMatchObject({
        code: 'STORE_FULL',
        details: { bytesMax: 10 },
      });
      for (let time = 0; time < 3; time++) await store.putMany([rawBlock('12345678'), rawBlock('x')]);
      await store.delete(rawBlock('x').cid);
      await store.delete(rawBlock('12345678').cid);
      await store.putMany([rawBlock('abc')]);
      await store.sync();
      expect(await store.stats()).toEqual({ blocks: 1, bytes: 3 });
      await store.close();
    });
  });
});
