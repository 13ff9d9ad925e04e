import { openPostgres } from '@cairn/postgres';
import { describeWithPostgres } from '../../../../tools/engines/jest.mjs';
import { describeUsageStore } from '../testing/describe-usage-store.ts';
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
});
