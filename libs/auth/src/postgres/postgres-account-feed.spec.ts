import { createConnection, createServer, type Socket } from 'node:net';
import { openPostgres } from '@cairn/postgres';
import { afterEach, expect, test } from '@jest/globals';
import { type PostgresServer, startPostgres } from '../../../../tools/engines/index.mjs';
import { describeWithPostgres } from '../../../../tools/engines/jest.mjs';
import { Auth } from '../auth.ts';
import { openKnownAccounts } from '../known-accounts.ts';
import { describeAccountStore } from '../testing/index.ts';
import { openPostgresAccountStore, postgresAccountFeed } from './index.ts';

const ends: (() => unknown)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end();
});

interface Process {
  readonly auth: Auth;
  /** Round trips of reads of accounts and keys. */
  readonly reads: () => number;
}

/** Opens the accounts as a process does. `hasNotices` false: no notice arrives. */
async function open(url: string, { hasNotices = true, outageMs = 60_000 } = {}): Promise<Process> {
  const database = await openPostgres({ url, connectionsMax: 4, statementMs: 2000 });
  const store = await openPostgresAccountStore(database);
  let reads = 0;
  const [account, key] = [store.account.bind(store), store.key.bind(store)];
  store.account = (id) => {
    reads++;
    return account(id);
  };
  store.key = (id) => {
    reads++;
    return key(id);
  };
  store.close = () => database.close();
  const polls = await openPostgres({ url, connectionsMax: 1, statementMs: 1000 });
  if (!hasNotices) polls.listen = async () => async () => {};
  const known = await openKnownAccounts({ store, feed: postgresAccountFeed(polls), outageMs });
  const auth = new Auth({ store: known });
  ends.push(() => auth.close());
  return { auth, reads: () => reads };
}

async function until(isReached: () => Promise<boolean>): Promise<void> {
  for (let tries = 0; !(await isReached()); tries++) {
    if (tries > 1500) throw new Error('The state is not reached.');
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}
const codeOf = (promise: Promise<unknown>) =>
  promise.then(
    () => 'accepted',
    (error: { code: string }) => error.code,
  );
const pause = (milliseconds: number) => new Promise((resolve) => setTimeout(resolve, milliseconds));

/** Forwards connections to a port that can change, as a balancer in front of a database does. */
async function forward(target: { port: number }): Promise<string> {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    const onward = createConnection({ host: '127.0.0.1', port: target.port });
    for (const [one, other] of [
      [socket, onward],
      [onward, socket],
    ] as const) {
      sockets.add(one);
      one.on('error', () => other.destroy());
      one.on('close', () => other.destroy());
      one.pipe(other);
    }
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  ends.unshift(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  const address = server.address();
  return `postgres://cairn@127.0.0.1:${typeof address === 'object' ? address?.port : 0}/postgres`;
}

describeWithPostgres('known accounts', (server) => {
  describeAccountStore('KnownAccounts over PostgreSQL, used by one process at a time', async () => {
    const url = await server().createDatabase();
    const database = await openPostgres({ url });
    const store = await openPostgresAccountStore(database);
    const feed = postgresAccountFeed(await openPostgres({ url, connectionsMax: 1 }));
    const known = await openKnownAccounts({ store, feed });
    const close = known.close.bind(known);
    ends.push(() => close().then(() => database.close()));
    known.close = async () => {};
    return async () => known;
  });

  test('a known key costs no round trip', async () => {
    const { auth, reads } = await open(await server().createDatabase());
    const { id } = await auth.createAccount({ name: 'a' });
    const { key, secret } = await auth.createKey(id);
    // Polls report the new rows once more.
    for (let warming = 0; warming < 20; warming++) {
      await auth.identify(key.id);
      await pause(50);
    }
    const before = reads();
    for (let count = 0; count < 1000; count++) await auth.authenticate({ keyId: key.id, secret });
    // A poll that is late on a busy machine costs one read of key and account.
    expect(reads() - before).toBeLessThanOrEqual(2);
  });

  test.each([true, false])(
    'revocation, suspension and plan changes reach other processes (with notices: %s)',
    async (hasNotices) => {
      const url = await server().createDatabase();
      const [one, other] = [await open(url), await open(url, { hasNotices })];
      const { id } = await one.auth.createAccount({ name: 'a' });
      const { key } = await one.auth.createKey(id);
      const identified = () => other.auth.identify(key.id);
      expect((await identified()).account.plan).toBe('free');
      await one.auth.setPlan(id, 'team');
      await until(async () => (await identified()).account.plan === 'team');
      await one.auth.setStatus(id, 'suspended');
      await until(async () => (await codeOf(identified())) === 'ACCOUNT_SUSPENDED');
      await one.auth.setStatus(id, 'active');
      await until(async () => (await codeOf(identified())) === 'accepted');
      await one.auth.revokeKey(key.id);
      await until(async () => (await codeOf(identified())) === 'CREDENTIALS_INVALID');
      // The change of its own process applies to the next request.
      const { key: second } = await one.auth.createKey(id);
      await one.auth.identify(second.id);
      await one.auth.revokeKey(second.id);
      expect(await codeOf(one.auth.identify(second.id))).toBe('CREDENTIALS_INVALID');
    },
  );

  test('a change whose transaction ends after later ones is found by polls', async () => {
    const url = await server().createDatabase();
    const [one, other] = [await open(url), await open(url, { hasNotices: false })];
    const { id } = await one.auth.createAccount({ name: 'a' });
    await one.auth.createAccount({ name: 'b' });
    const { key } = await one.auth.createKey(id);
    await other.auth.identify(key.id);
    const database = await openPostgres({ url });
    ends.push(() => database.close());
    await database.transaction(async (transaction) => {
      await transaction.run({
        text: `UPDATE accounts SET record = jsonb_set(record::jsonb, '{plan}', '"late"') WHERE id = $1`,
        values: [id],
      });
      await one.auth.setPlan('b', 'team');
      // Polls pass the number of this transaction before it ends.
      await pause(1000);
    });
    await until(async () => (await other.auth.identify(key.id)).account.plan === 'late');
  });

  test('while the server is paused, known keys are accepted for a bounded time and nothing else waits', async () => {
    const paused = (await startPostgres()) as PostgresServer;
    ends.push(() => paused.remove());
    const { auth } = await open(paused.url, { outageMs: 3000 });
    const { id } = await auth.createAccount({ name: 'a' });
    const [{ key }, { key: unused }] = [await auth.createKey(id), await auth.createKey(id)];
    await auth.identify(key.id);
    auth.requireCurrent();
    paused.pause();
    await until(async () => {
      expect(await codeOf(auth.identify(key.id))).toBe('accepted');
      return (await codeOf((async () => auth.requireCurrent())())) === 'POSTGRES_UNAVAILABLE';
    });
    expect(await codeOf(auth.identify(unused.id))).toBe('POSTGRES_UNAVAILABLE');
    await until(async () => (await codeOf(auth.identify(key.id))) === 'POSTGRES_UNAVAILABLE');
    paused.resume();
    await until(async () => (await codeOf(auth.identify(unused.id))) === 'accepted');
    expect(await codeOf(auth.identify(key.id))).toBe('accepted');
    auth.requireCurrent();
  });

  test('a promoted standby that lacks changes is followed: nothing known from the lost server stays', async () => {
    const primary = (await startPostgres()) as PostgresServer;
    ends.push(() => primary.remove());
    const target = { port: primary.port };
    const { auth } = await open(await forward(target));
    const direct = await open(primary.url);
    const { id } = await direct.auth.createAccount({ name: 'a' });
    const { key } = await direct.auth.createKey(id);
    const standby = await primary.startStandby();
    ends.push(() => standby.remove());
    expect((await auth.identify(key.id)).account.plan).toBe('free');
    // The change is lost with the primary, whose standby has stopped to follow.
    await standby.stop();
    await direct.auth.setPlan(id, 'team');
    await until(async () => (await auth.identify(key.id)).account.plan === 'team');
    await primary.kill();
    await standby.start();
    await standby.promote();
    target.port = standby.port;
    // Requests may fail until the broken connections are replaced.
    await until(async () => (await auth.identify(key.id).catch(() => undefined))?.account.plan === 'free');
    await until(async () => (await codeOf(auth.setPlan(id, 'pro'))) === 'accepted');
    expect((await auth.identify(key.id)).account.plan).toBe('pro');
  });
});
