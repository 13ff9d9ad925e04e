import { cidFor } from '@cairn/cid';
import { openPostgres, type Postgres } from '@cairn/postgres';
import { afterEach, describe, expect, test } from '@jest/globals';
import { describeWithPostgres } from '../../../../tools/engines/jest.mjs';
import type { Pin } from '../pin-store.ts';
import { describePinHistories, describePinStore } from '../testing/index.ts';
import { changePins } from './pin-operations.ts';
import { openPostgresPinStore } from './postgres-pin-store.ts';

const cidOf = (text: string) => cidFor(Buffer.from(text), { codec: 'raw' });
const pinOf = (text: string, bytes = 1): Pin => ({
  cid: cidOf(text),
  mode: 'recursive',
  name: undefined,
  createdAt: 1,
  size: { blocks: 1, bytes },
});

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

  describe('a database that processes share', () => {
    const databases: Postgres[] = [];
    afterEach(async () => {
      for (const database of databases.splice(0)) await database.close();
    });
    const open = async (url: string) => {
      const database = await openPostgres({ url, connectionsMax: 4 });
      databases.push(database);
      return database;
    };

    test('concurrent calls for one account share statements', async () => {
      const database = await open(await server().createDatabase());
      let writes = 0;
      const store = await openPostgresPinStore(watched(database, () => writes++));
      await Promise.all(Array.from({ length: 1000 }, (_, index) => store.put('hot', [pinOf(`${index}`)])));
      // The first call is alone; the others wait for it and fill statements of 256.
      expect(writes).toBe(5);
      expect(await store.usage('hot')).toEqual({ pins: 1000, blocks: 1000, bytes: 1000 });
    });

    test('a value that the database refuses fails its own call only', async () => {
      const store = await openPostgresPinStore(await open(await server().createDatabase()));
      const calls = ['a', 'b', 'c', 'd'].map((text) =>
        store.put('hot', [{ ...pinOf(text), createdAt: text === 'c' ? Number.NaN : 1 }]),
      );
      const results = await Promise.allSettled(calls);
      expect(results.map(({ status }) => status)).toEqual(['fulfilled', 'fulfilled', 'rejected', 'fulfilled']);
      expect(await store.usage('hot')).toMatchObject({ pins: 3 });
    });

    test('a root that is pinned without a walk stays pinned until its pin is committed', async () => {
      const url = await server().createDatabase();
      const [one, other] = [await open(url), await open(url)];
      const store = await openPostgresPinStore(one);
      await store.put('a', [pinOf('x')]);
      let removal: Promise<string> = Promise.resolve('');
      const first = await other.transaction(async (transaction) => {
        const { size: _, ...known } = pinOf('x');
        await transaction.run(changePins('b', [{ kind: 'putKnownRoot', pins: [known], quota: {} }]));
        removal = store.remove('a', [cidOf('x')]).then(() => 'removed');
        return await Promise.race([removal, waitsForLock(other)]);
      });
      expect(first).toBe('waits');
      expect(await removal).toBe('removed');
      expect(await store.isPinned('recursive', cidOf('x'))).toBe(true);
    });

    test('a root that is being removed is unknown, and a call for it does not wait', async () => {
      const url = await server().createDatabase();
      const [one, other] = [await open(url), await open(url)];
      const store = await openPostgresPinStore(one);
      await store.put('a', [pinOf('x')]);
      const { size: _, ...known } = pinOf('x');
      await other.transaction(async (transaction) => {
        await transaction.run(changePins('a', [{ kind: 'remove', pins: [{ cid: cidOf('x') }], quota: {} }]));
        expect(await store.putKnownRoot('b', known)).toBeUndefined();
      });
      expect(await store.usage('b')).toMatchObject({ pins: 0 });
    });

    test('assertConsistent finds a usage that differs from pins, also of an account with many', async () => {
      const database = await open(await server().createDatabase());
      const store = await openPostgresPinStore(database);
      await store.put('a', [pinOf('x')]);
      await database.write({ text: "INSERT INTO pin_usage VALUES ('many', 200001, 200001, 200001)" });
      await database.write({
        text: `INSERT INTO pins (account, cid, mode, is_requested, created_at, blocks, bytes)
          SELECT 'many', decode(lpad(to_hex(n), 8, '0'), 'hex'), 1, false, 1, 1, 1 FROM generate_series(1, 200001) n`,
      });
      await store.assertConsistent();
      for (const [account, change, problem] of [
        ['a', 'bytes = bytes + 1', 'the sizes of the 1 pins of account a differ from its usage'],
        ['many', 'pins = pins - 1', 'account many has 200001 pins, its usage counts 200000'],
      ] as const) {
        await database.write({ text: `UPDATE pin_usage SET ${change} WHERE account = '${account}'` });
        const damaged = { code: 'STORE_CORRUPT', message: expect.stringContaining(problem) };
        await expect(store.assertConsistent({ account })).rejects.toMatchObject(damaged);
        await expect(store.assertConsistent()).rejects.toMatchObject({ code: 'STORE_CORRUPT' });
        await database.write({
          text: `UPDATE pin_usage SET ${change.replace(/[+-] 1/, (s) => (s[0] === '+' ? '- 1' : '+ 1'))} WHERE account = '${account}'`,
        });
      }
      await store.assertConsistent();
      await expect(store.assertConsistent({ signal: AbortSignal.abort(new Error('stop')) })).rejects.toThrow('stop');
    });
  });
});

/** Returns a database that reports each written statement. */
function watched(database: Postgres, onWrite: () => void): Postgres {
  return new Proxy(database, {
    get(target, name) {
      if (name === 'write') onWrite();
      const value: unknown = Reflect.get(target, name, target);
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });
}

/** Resolves when a statement of the database waits for a lock. */
async function waitsForLock(database: Postgres): Promise<string> {
  for (;;) {
    const text = `SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`;
    if ((await database.read({ text })).count > 0) return 'waits';
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}
