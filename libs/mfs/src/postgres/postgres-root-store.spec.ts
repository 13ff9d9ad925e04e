import { openPostgres } from '@cairn/postgres';
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
});
