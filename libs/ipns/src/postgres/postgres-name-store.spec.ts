import { openPostgres } from '@cairn/postgres';
import { describeWithPostgres } from '../../../../tools/engines/jest.mjs';
import { describeNameStore } from '../testing/index.ts';
import { openPostgresNameStore } from './index.ts';

describeWithPostgres('names in PostgreSQL', (server) => {
  describeNameStore('PostgresNameStore', async (clock) => {
    const url = await server().createDatabase();
    return async () => {
      const database = await openPostgres({ url, connectionsMax: 4 });
      const store = await openPostgresNameStore(database, { now: () => clock.nowMs });
      return { ...store, close: () => database.close() };
    };
  });
});
