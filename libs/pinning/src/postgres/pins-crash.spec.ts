import { cidFor } from '@cairn/cid';
import { isCairnError } from '@cairn/errors';
import { openPostgres } from '@cairn/postgres';
import { expect, test } from '@jest/globals';
import { describeWithPostgres } from '../../../../tools/engines/jest.mjs';
import { openPostgresPinRequestStore, openPostgresPinStore } from './index.ts';

const cidOf = (text: string) => cidFor(Buffer.from(text), { codec: 'raw' });

describeWithPostgres('a server that crashes during writes', (server) => {
  test('acknowledged pins, removals and requests survive, and usage equals the pins', async () => {
    const url = await server().createDatabase();
    const database = await openPostgres({ url, connectionsMax: 8 });
    const pins = await openPostgresPinStore(database);
    const requests = await openPostgresPinRequestStore(database);
    const pinned = new Map<string, Set<string>>();
    const requested: { readonly account: string; readonly id: string }[] = [];
    let isWriting = true;
    let failures = 0;
    let count = 0;
    /** Runs a write. Its result is unknown after a failure. */
    const isDone = async (work: Promise<unknown>) => {
      try {
        await work;
        return true;
      } catch (error) {
        const codes = ['POSTGRES_UNAVAILABLE', 'POSTGRES_OUTCOME_UNKNOWN', 'POSTGRES_BUSY'] as const;
        if (!isCairnError(error) || !codes.some((code) => code === error.code)) throw error;
        failures++;
        await new Promise((resolve) => setTimeout(resolve, 20));
        return false;
      }
    };
    const write = async (account: string) => {
      const own = pinned.get(account) ?? new Set<string>();
      pinned.set(account, own);
      while (isWriting) {
        const text = `${account} ${count++}`;
        const cid = cidOf(text);
        const pin = { cid, mode: 'recursive', name: text, createdAt: 1, size: { blocks: 1, bytes: 1 } } as const;
        if (await isDone(pins.put(account, [pin], { bytesMax: 1e9 }))) own.add(text);
        const [oldest] = own;
        if (oldest !== undefined && own.size > 20) {
          // A removal with an unknown result is neither expected nor excluded.
          own.delete(oldest);
          if (await isDone(pins.remove(account, [cidOf(oldest)]))) removed.push([account, oldest]);
        }
        if (count % 10 === 0)
          await isDone(
            requests.add(account, { cid: `${cid}`, key: 'k' }).then(({ id }) => requested.push({ account, id })),
          );
      }
    };
    const removed: [string, string][] = [];
    const writers = ['a', 'a', 'b', 'b', 'c', 'c', 'd', 'd'].map(write);
    for (let round = 0; round < 4; round++) {
      const target = count + 150;
      while (count < target) await new Promise((resolve) => setTimeout(resolve, 5));
      await server().kill();
      await server().start();
    }
    isWriting = false;
    await Promise.all(writers);
    expect(failures).toBeGreaterThan(0);
    for (const [account, texts] of pinned)
      for (const text of texts) expect(await pins.get(account, cidOf(text))).toMatchObject({ name: text });
    for (const [account, text] of removed) expect(await pins.get(account, cidOf(text))).toBeUndefined();
    for (const { account, id } of requested)
      expect(await requests.get(account, id)).toMatchObject({ status: 'queued' });
    await pins.assertConsistent();
    await database.close();
  });
});
