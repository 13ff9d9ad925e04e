import { CID, cidFor } from '@cairn/cid';
import { openPostgres } from '@cairn/postgres';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { describeWithPostgres } from '../../../../tools/engines/jest.mjs';
import { keyOf } from '../keyspace.ts';
import type { ProvideStore } from '../provide-store.ts';
import { describeProvideStore } from '../testing/describe-provide-store.ts';
import { openPostgresProvideStore } from './postgres-provide-store.ts';

async function open(url: string): Promise<ProvideStore> {
  const database = await openPostgres({ url, connectionsMax: 4 });
  const store = await openPostgresProvideStore(database);
  store.close = () => database.close();
  return store;
}

describeWithPostgres('provider records in PostgreSQL', (server) => {
  describeProvideStore('PostgresProvideStore', async () => open(await server().createDatabase()));

  describe('two processes', () => {
    let one: ProvideStore;
    let other: ProvideStore;
    beforeEach(async () => {
      const url = await server().createDatabase();
      [one, other] = await Promise.all([open(url), open(url)]);
    });
    afterEach(async () => {
      await one.close();
      await other.close();
    });

    test('that add and remove CIDs of shared multihashes leave each CID with a record, and exact counts', async () => {
      const raw = Array.from({ length: 40 }, (_, at) => cidFor(new TextEncoder().encode(`${at}`), { codec: 'raw' }));
      const cbor = raw.map(({ multihash }) => CID.createV1(0x71, multihash));
      for (let round = 0; round < 12; round++) {
        const isEven = round % 2 === 0;
        await one.add(isEven ? raw : cbor);
        // The last CID of each multihash goes while another one of the same multihash comes.
        await Promise.all([
          one.remove(isEven ? raw : cbor),
          other.add(isEven ? cbor : raw),
          one.settle(
            raw.map(({ multihash }) => ({ key: keyOf(multihash.bytes), dueAt: 5, failures: 0, announcedAt: 9 })),
          ),
        ]);
        for (const cid of isEven ? cbor : raw) {
          expect(await one.has(cid)).toBe(true);
          expect(await other.get(keyOf(cid.multihash.bytes))).toBeDefined();
        }
        const { records, waiting } = await one.counts();
        expect(records).toBe(raw.length);
        let unannounced = 0;
        for (const { multihash } of raw)
          if ((await one.get(keyOf(multihash.bytes)))?.announcedAt === undefined) unannounced++;
        expect(waiting).toBe(unannounced);
      }
    });
  });
});
