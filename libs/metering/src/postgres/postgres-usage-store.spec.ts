import { randomUUID } from 'node:crypto';
import { openPostgres } from '@cairn/postgres';
import { expect, test } from '@jest/globals';
import { describeWithPostgres } from '../../../../tools/engines/jest.mjs';
import { delta, describeUsageStore } from '../testing/describe-usage-store.ts';
import { openPostgresUsageStore } from './postgres-usage-store.ts';

describeWithPostgres('usage in PostgreSQL', (server) => {
  describeUsageStore('PostgresUsageStore', async () => {
    const url = await server().createDatabase();
    return async () => {
      const database = await openPostgres({ url, connectionsMax: 4 });
      const store = await openPostgresUsageStore(database);
      store.close = () => database.close();
      return store;
    };
  });

  test('a batch that is repeated under its ID is added once, also by concurrent attempts', async () => {
    const database = await openPostgres({ url: await server().createDatabase(), connectionsMax: 4 });
    const store = await openPostgresUsageStore(database);
    try {
      const ids = [randomUUID(), randomUUID()];
      await Promise.all([...ids, ...ids, ...ids].map((id) => store.add([delta()], [], [], id)));
      const day = delta().at;
      const rows = [];
      for await (const { requests } of store.rows('a', { from: day, to: day + 86_400_000 }, 'day')) rows.push(requests);
      expect(rows).toEqual([2]);
    } finally {
      await store.close();
      await database.close();
    }
  });
});
