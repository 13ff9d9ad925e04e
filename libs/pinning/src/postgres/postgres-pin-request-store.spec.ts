import { openPostgres } from '@cairn/postgres';
import { describeWithPostgres } from '../../../../tools/engines/jest.mjs';
import { describePinRequestStore } from '../testing/index.ts';
import { openPostgresPinRequestStore, openPostgresPinStore } from './index.ts';

describeWithPostgres('pin requests in PostgreSQL', (server) => {
  describePinRequestStore('PostgresPinRequestStore', async (now) => {
    const url = await server().createDatabase();
    const open = async () => {
      const database = await openPostgres({ url, connectionsMax: 4 });
      const store = await openPostgresPinRequestStore(database, { now });
      store.close = () => database.close();
      return store;
    };
    const database = await openPostgres({ url, connectionsMax: 2 });
    const store = await open();
    return {
      store,
      pins: await openPostgresPinStore(database),
      reopen: async () => {
        await store.close();
        return await open();
      },
      remove: () => database.close(),
    };
  });
});
