import { rawBlock } from '@cairn/blockstore/testing';
import { openPostgres } from '@cairn/postgres';
import { expect, test } from '@jest/globals';
import { describeWithPostgres } from '../../../../tools/engines/jest.mjs';
import { describeRootStore } from '../testing/index.ts';
import { openPostgresRootStore } from './postgres-root-store.ts';

describeWithPostgres('roots of file trees in PostgreSQL', (server) => {
  describeRootStore('PostgresRootStore', async () => {
    const url = await server().createDatabase();
    return async () => {
      const database = await openPostgres({ url, connectionsMax: 4 });
      const store = await openPostgresRootStore(database);
      store.close = () => database.close();
      return store;
    };
  });

  test('swap changes nothing after the hold of its fence has ended', async () => {
    const database = await openPostgres({ url: await server().createDatabase() });
    // The part of the table of holds of `@cairn/pack-store` that a swap reads.
    await database.write({ text: 'CREATE TABLE pack_holders (holder text PRIMARY KEY)' });
    await database.write({ text: "INSERT INTO pack_holders VALUES ('open')" });
    const store = await openPostgresRootStore(database);
    const root = (text: string) => ({ cid: rawBlock(text).cid, bytes: 1 });
    const [first, second] = [root('first'), root('second')];
    expect(await store.swap('a', undefined, first, { fence: 'ended' })).toBe(false);
    expect(await store.get('a')).toBeUndefined();
    expect(await store.swap('a', undefined, first, { fence: 'open' })).toBe(true);
    expect(await store.swap('a', first.cid, second, { fence: 'ended' })).toBe(false);
    expect(`${(await store.get('a'))?.cid}`).toBe(`${first.cid}`);
    expect(await store.swap('a', first.cid, second, { fence: 'open' })).toBe(true);
    expect(`${(await store.get('a'))?.cid}`).toBe(`${second.cid}`);
    await database.close();
  });
});
