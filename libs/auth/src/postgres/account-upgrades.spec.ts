import { openPostgres, type Postgres } from '@cairn/postgres';
import { afterEach, expect, test } from '@jest/globals';
import { describeWithPostgres } from '../../../../tools/engines/jest.mjs';
import { openKnownAccounts } from '../known-accounts.ts';
import { account, apiKey, collect, entry } from '../testing/records.ts';
import { accountSteps } from './account-tables.ts';
import { openPostgresAccountStore, postgresAccountFeed } from './index.ts';

const ends: (() => unknown)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end();
});

/** Returns a database whose programs know only the first versions of the tables. */
function withVersion(database: Postgres, version: number): Postgres {
  return new Proxy(database, {
    get(target, name) {
      if (name !== 'migrate') return Reflect.get(target, name, target).bind(target);
      const migrate: Postgres['migrate'] = ({ component, steps }) =>
        target.migrate({ component, steps: steps.slice(0, version) });
      return migrate;
    },
  });
}

describeWithPostgres('tables of accounts', (server) => {
  test.each(accountSteps.slice(1).map((_, index) => index + 1))(
    'of version %i are upgraded with their rows, while a program of that version continues to write',
    async (version) => {
      const url = await server().createDatabase();
      const open = async () => {
        const database = await openPostgres({ url, connectionsMax: 2 });
        ends.push(() => database.close());
        return database;
      };
      // Accounts and keys are written by the same statements since the first version.
      const old = await openPostgresAccountStore(withVersion(await open(), version));
      await old.insertAccount(account('a'), entry());
      await old.insertKey(apiKey('k', 'a'), entry());

      let [written, isUpgraded] = [0, false];
      const writing = (async () => {
        while (!isUpgraded || written < 20) {
          await old.insertKey(apiKey(`k${written}`, 'a'), entry());
          await old.updateAccount('a', (before) => ({ account: { ...before, plan: `plan${written}` }, entries: [] }));
          written++;
        }
      })();
      const upgraded = await openPostgresAccountStore(await open());
      isUpgraded = true;
      await writing;
      expect(await upgraded.accountByName('a')).toEqual({ ...account('a'), plan: `plan${written - 1}` });
      expect(await upgraded.key('k')).toEqual(apiKey('k', 'a'));
      expect(await collect(upgraded.keys('a'))).toHaveLength(written + 1);

      // A program of the new version finds changes of the old one by its polls, and the old one reads those of the new one.
      const polls = await openPostgres({ url, connectionsMax: 1 });
      polls.listen = async () => async () => {};
      const known = await openKnownAccounts({ store: upgraded, feed: postgresAccountFeed(polls) });
      ends.push(() => known.close());
      await known.key('k');
      await old.updateKey('k', (before) => ({ ...before, revokedAt: 7 }), entry());
      while ((await known.key('k'))?.revokedAt !== 7) await new Promise((resolve) => setTimeout(resolve, 20));
      await known.updateAccount('a', (before) => ({ account: { ...before, plan: 'new' }, entries: [] }));
      expect((await old.account('a'))?.plan).toBe('new');
    },
    60_000,
  );
});
