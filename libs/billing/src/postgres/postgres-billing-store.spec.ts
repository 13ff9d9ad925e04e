import { openPostgres } from '@cairn/postgres';
import { describeWithPostgres } from '../../../../tools/engines/jest.mjs';
import { describeBillingStore } from '../testing/index.ts';
import { openPostgresBillingStore } from './postgres-billing-store.ts';

describeWithPostgres('billing records in PostgreSQL', (server) => {
  describeBillingStore('PostgresBillingStore', async () => {
    const url = await server().createDatabase();
    return async () => {
      const database = await openPostgres({ url, connectionsMax: 4 });
      const store = await openPostgresBillingStore(database);
      store.close = () => database.close();
      return store;
    };
  });
});
