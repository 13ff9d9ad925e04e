import { rawBlock } from '@cairn/blockstore/testing';
import { createMemoryObjectStore } from '@cairn/object-store/testing';
import { openPostgres, type Postgres, type Statement } from '@cairn/postgres';
import { expect, test } from '@jest/globals';
import { describeWithPostgres } from '../../../../tools/engines/jest.mjs';
import { openPackBlockstore } from '../index.ts';
import { auditIndex } from './audit.fixture.ts';
import { statementsOfVersion2 } from './statements-of-version-2.fixture.ts';
import { steps } from './tables.ts';

/** Returns a statement as a program of the first versions sends it. */
function statementOf(statement: Statement, version: number): Statement {
  const text = version <= 2 && statement.name !== undefined ? statementsOfVersion2[statement.name] : undefined;
  if (text === undefined) return statement;
  const parameters = Math.max(...[...text.matchAll(/\$(\d+)/g)].map(([, number]) => Number(number)));
  // Later versions have appended parameters.
  return { ...statement, text, values: statement.values?.slice(0, parameters) ?? [] };
}

/** Returns a database whose programs know only the first versions of the tables. */
function withVersion(database: Postgres, version: number): Postgres {
  const old: Pick<Postgres, 'migrate' | 'read' | 'write' | 'transaction'> = {
    migrate: ({ component, steps: all }) => database.migrate({ component, steps: all.slice(0, version) }),
    read: (statement) => database.read(statementOf(statement, version)),
    write: (statement) => database.write(statementOf(statement, version)),
    transaction: (work, ...rest) =>
      database.transaction(
        (transaction) => work({ ...transaction, run: (each) => transaction.run(statementOf(each, version)) }),
        ...rest,
      ),
  };
  return new Proxy(database, {
    get: (target, name) => Reflect.get(old, name) ?? Reflect.get(target, name, target).bind(target),
  });
}

describeWithPostgres('tables of packs', (server) => {
  test.each(steps.slice(1).map((_, index) => index + 1))(
    'of version %i are upgraded with their rows, while a program of that version continues to write',
    async (version) => {
      const url = await server().createDatabase();
      // Connections of each program have their own prepared statements.
      const [database, oldDatabase] = [
        await openPostgres({ url, connectionsMax: 4 }),
        await openPostgres({ url, connectionsMax: 4 }),
      ];
      const [objects, writer] = [createMemoryObjectStore(), { waitMs: 1, quietMs: 0 }];
      const old = await openPackBlockstore({ database: withVersion(oldDatabase, version), objects, writer });
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
      await oldDatabase.close();
      await database.close();
    },
    60_000,
  );
});
