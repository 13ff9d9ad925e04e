import { openPostgres } from '@cairn/postgres';
import { describeWithPostgres } from '../../../../tools/engines/jest.mjs';
import { describeGatewayHostStore } from '../testing/describe-gateway-host-store.ts';
import { openPostgresGatewayHostStore } from './postgres-gateway-host-store.ts';

describeWithPostgres('dedicated hosts in PostgreSQL', (server) => {
  describeGatewayHostStore('PostgresGatewayHostStore', async () => {
    const url = await server().createDatabase();
    return async () => {
      const database = await openPostgres({ url });
      const store = await openPostgresGatewayHostStore(database);
      store.close = () => database.close();
      return store;
    };
  });
});
