import { createMemoryObjectStore } from '@cairn/object-store/testing';
import { openPostgresPinStore } from '@cairn/pinning/postgres';
import { describeCollectorModel } from '@cairn/pinning/testing';
import { openPostgres } from '@cairn/postgres';
import { describeWithPostgres } from '../../../tools/engines/jest.mjs';
import { openPackBlockstore } from './index.ts';

describeWithPostgres('collections over packs', (server) => {
  describeCollectorModel(
    'packs',
    async () => {
      const url = await server().createDatabase();
      const objects = createMemoryObjectStore();
      return async () => {
        const database = await openPostgres({ url, connectionsMax: 4 });
        const blocks = await openPackBlockstore({ database, objects, writer: { waitMs: 1, quietMs: 0 } });
        const close = blocks.close.bind(blocks);
        const closeAll = async () => {
          await close();
          await database.close();
        };
        return { pins: await openPostgresPinStore(database), blocks: Object.assign(blocks, { close: closeAll }) };
      };
    },
    { numRuns: 8 },
  );
});
