import { openPostgres } from '@cairn/postgres';
import { describeWithPostgres } from '../../../../tools/engines/jest.mjs';
import { describeRequestLogStore } from '../testing/describe-request-log-store.ts';
import { openPostgresRequestLogStore } from './postgres-request-log-store.ts';

describeWithPostgres('the request log in PostgreSQL', (server) => {
  describeRequestLogStore('PostgresRequestLogStore', async () => {
    const url = await server().createDatabase();
    return async () => {
      const database = await openPostgres({ url, connectionsMax: 4 });
      const store = await openPostgresRequestLogStore(database);
      store.close = () => database.close();
      return store;
    };
  });
});
