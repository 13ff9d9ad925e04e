import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { cidFor } from '@cairn/cid';
import { openPostgres } from '@cairn/postgres';
import { expect, test } from '@jest/globals';
import { describeWithPostgres } from '../../../../tools/engines/jest.mjs';
import { copyPinRequestsToLmdb } from '../requests/copy-pin-requests-to-lmdb.ts';
import { openLmdbPinRequestStore } from '../requests/lmdb-pin-request-store.ts';
import type { PinRequestStore } from '../requests/pin-request-store.ts';
import { copyPinRequests, openPostgresPinRequestStore } from './index.ts';

const cidOf = (text: string) => cidFor(Buffer.from(text), { codec: 'raw' });

async function all<T>(source: AsyncIterable<T>): Promise<T[]> {
  const values: T[] = [];
  for await (const value of source) values.push(value);
  return values;
}

/** State of a store, as its callers see it. */
async function stateOf(store: PinRequestStore, accounts: readonly string[]) {
  const byAccount = accounts.map(async (account) => ({
    requests: await all(store.list(account)),
    webhook: await store.webhooks.get(account),
    events: (await all(store.webhooks.events(account))).sort((one, other) => (one.id < other.id ? -1 : 1)),
    waiting: await store.webhooks.waiting(account),
    isReferenced: await store.isReferenced(account, cidOf('0')),
  }));
  const released = (await all(store.released())).map(({ account, cid }) => `${account} ${cid}`);
  return { accounts: await Promise.all(byAccount), open: await store.openCount(), released: released.sort() };
}

describeWithPostgres('copyPinRequests', (server) => {
  test('copies requests, webhooks, events and releases, and back, also when it is repeated', async () => {
    const directory = mkdtempSync(join(tmpdir(), 'cairn-copied-requests-'));
    const source = await openLmdbPinRequestStore({ directory });
    const database = await openPostgres({ url: await server().createDatabase(), connectionsMax: 2 });
    try {
      const accounts = ['ann', 'bob', 'nothing'];
      await source.webhooks.set('ann', { url: 'https://a.example/', secret: 's1.sealed', createdAt: 5 });
      for (let at = 0; at < 300; at++) {
        const meta = { at: `${at}` };
        const request = await source.add('ann', { cid: `${cidOf(`${at % 7}`)}`, name: 'a', meta, key: 'k' });
        if (at % 2 === 0) await source.finish(request, { status: at % 4 === 0 ? 'pinned' : 'failed', reason: 'r' });
        if (at % 50 === 1) await source.begin('ann', request.id);
      }
      const first = await source.add('bob', { cid: `${cidOf('x')}`, key: 'k' });
      await source.add('bob', { cid: `${cidOf('y')}`, key: 'k' }, { replaces: first.id });
      const removed = await source.add('bob', { cid: `${cidOf('z')}`, key: 'k' });
      await source.remove('bob', removed.id);

      const counts = { requests: 301, releases: 2, webhooks: 1, events: 156 };
      expect(await copyPinRequests(source, accounts, database)).toEqual(counts);
      expect(await copyPinRequests(source, accounts, database)).toEqual(counts);
      const target = await openPostgresPinRequestStore(database);
      expect(await stateOf(target, accounts)).toEqual(await stateOf(source, accounts));

      const back = { directory: join(directory, 'back') };
      expect(await copyPinRequestsToLmdb(target, accounts, back)).toEqual(counts);
      expect(await copyPinRequestsToLmdb(target, accounts, back)).toEqual(counts);
      const returned = await openLmdbPinRequestStore(back);
      expect(await stateOf(returned, accounts)).toEqual(await stateOf(source, accounts));
      await returned.close();
      const { createdAt } = await target.add('ann', { cid: `${cidOf('new')}`, key: 'k' });
      const [last] = await all(source.list('ann'));
      expect(createdAt).toBeGreaterThan(last?.createdAt ?? Number.POSITIVE_INFINITY);
    } finally {
      await database.close();
      await source.close();
      rmSync(directory, { recursive: true });
    }
  });
});
