import { rawBlock } from '@cairn/blockstore/testing';
import { createMemoryObjectStore } from '@cairn/object-store/testing';
import { openPostgres, type Postgres } from '@cairn/postgres';
import { expect, test } from '@jest/globals';
import { describeWithPostgres } from '../../../../tools/engines/jest.mjs';
import { openPackBlockstore } from '../index.ts';
import { auditIndex } from './audit.fixture.ts';
import { steps } from './tables.ts';

/** Returns a database whose programs know only the first versions of the tables. */
function withVersion(database: Postgres, version: number): Postgres {
  return new Proxy(database, {
    get(target, name) {
      if (name !== 'migrate') return Reflect.get(target, name, target).bind(target);
      const migrate: Postgres['migrate'] = ({ component, steps: all }) =>
        target.migrate({ component, steps: all.slice(0, version) });
      return migrate;
    },
  });
}

describeWithPostgres('tables of packs', (server) => {
  test.each(steps.slice(1).map((_, index) => index + 1))(
    'of version %i are upgraded with their rows, while a program of that version continues to write',
    async (version) => {
      const database = await openPostgres({ url: await server().createDatabase(), connectionsMax: 4 });
      const [objects, writer] = [createMemoryObjectStore(), { waitMs: 1, quietMs: 0 }];
      // Reads and writes of blocks have used the same statements since the first version.
      const old = await openPackBlockstore({ database: withVersion(database, version), objects, writer });
      const put = async (number: number) => {
        await old.putMany([rawBlock(`block ${number}`)]);
        await old.sync();
      };
      await put(0);
      let [written, isUpgraded] = [1, false];
      const writing = (async () => {
        while (!isUpgraded || written < 10) await put(written++);
      })();
      const upgraded = await openPackBlockstore({ database, objects, writer });
      isUpgraded = true;
      await writing;
      for (let number = 0; number < written; number++) {
        const { cid, bytes } = rawBlock(`block ${number}`);
        expect(Buffer.from(await upgraded.get(cid)).equals(bytes)).toBe(true);
      }
      expect(await upgraded.maintenance.scrubUnderLease({ bytesPerSecond: 1e9 })).toMatchObject({ corrupt: 0 });
      await upgraded.putMany([rawBlock('new')]);
      await upgraded.sync();
      expect(await old.has(rawBlock('new').cid)).toBe(true);
      expect(await auditIndex(database)).toEqual([]);
      await old.close();
      await upgraded.close();
      await database.close();
    },
    60_000,
  );
});
