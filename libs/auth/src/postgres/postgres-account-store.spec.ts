import { openPostgres } from '@cairn/postgres';
import { describeWithPostgres } from '../../../../tools/engines/jest.mjs';
import { describeAccountStore, describeMemberStore, describeMemberTokenStore } from '../testing/index.ts';
import { openPostgresAccountStore } from './postgres-account-store.ts';

describeWithPostgres('accounts in PostgreSQL', (server) => {
  const create = async () => {
    const url = await server().createDatabase();
    return async () => {
      const database = await openPostgres({ url, connectionsMax: 4 });
      const store = await openPostgresAccountStore(database);
      store.close = () => database.close();
      return store;
    };
  };
  describeAccountStore('PostgresAccountStore', create);
  describeMemberStore('PostgresAccountStore', create);
  describeMemberTokenStore('PostgresAccountStore', create);
});
