import { openPostgres } from '@cairn/postgres';
import { describeWithPostgres } from '../../../../tools/engines/jest.mjs';
import { describePinHistories, describePinStore } from '../testing/index.ts';
import { openPostgresPinStore } from './postgres-pin-store.ts';

describeWithPostgres('pins in PostgreSQL', (server) => {
  describePinStore('PostgresPinStore', async () => {
    const database = await openPostgres({ url: await server().createDatabase(), connectionsMax: 4 });
    const store = await openPostgresPinStore(database);
    store.close = () => database.close();
    return store;
  });

  describePinHistories('PostgresPinStore', async () => {
    const url = await server().createDatabase();
    const open = async () => {
      const database = await openPostgres({ url, connectionsMax: 4 });
      const store = await openPostgresPinStore(database);
      store.close = () => database.close();
      return store;
    };
    return [await open(), await open(), await open()];
  });
});
