import { openPostgres } from '@cairn/postgres';
import { describeWithPostgres } from '../../../../tools/engines/jest.mjs';
import { describePlanStore } from '../testing/describe-plan-store.ts';
import { openPostgresPlanStore } from './postgres-plan-store.ts';

describeWithPostgres('plans in PostgreSQL', (server) => {
  describePlanStore('PostgresPlanStore', async () => {
    const url = await server().createDatabase();
    return async () => {
      const database = await openPostgres({ url });
      const store = await openPostgresPlanStore(database);
      store.close = () => database.close();
      return store;
    };
  });
});
