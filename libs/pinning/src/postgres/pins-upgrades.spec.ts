import { cidFor } from '@cairn/cid';
import { openPostgres, type Postgres } from '@cairn/postgres';
import { expect, test } from '@jest/globals';
import { describeWithPostgres } from '../../../../tools/engines/jest.mjs';
import type { Pin, PinStore } from '../pin-store.ts';
import { openPostgresPinStore } from './index.ts';
import { changePins } from './pin-operations.ts';
import { pinSteps } from './pin-tables.ts';

const account = 'alice';
const pinOf = (number: number): Pin => ({
  cid: cidFor(Buffer.from(`pin ${number}`), { codec: 'raw' }),
  mode: 'recursive',
  name: `pin ${number}`,
  createdAt: 1000 + number,
  size: { blocks: 1, bytes: 10 },
});

/** Writes of a program of each version of the tables. Version 1 had no function. */
const writers: readonly ((database: Postgres, pin: Pin) => Promise<void>)[] = [
  async (database, { cid, name, createdAt, size }) => {
    await database.transaction(async (transaction) => {
      await transaction.run({
        text: `INSERT INTO pin_usage VALUES ($1, 1, $2, $3) ON CONFLICT (account) DO UPDATE
          SET pins = pin_usage.pins + 1, blocks = pin_usage.blocks + $2, bytes = pin_usage.bytes + $3`,
        values: [account, size.blocks, size.bytes],
      });
      await transaction.run({
        text: 'INSERT INTO pins VALUES ($1, $2, 1, $3, NULL, false, $4, $5, $6)',
        values: [account, cid.bytes, JSON.stringify(name), createdAt, size.blocks, size.bytes],
      });
      await transaction.run({
        text: 'INSERT INTO pin_changes (at, account, mode, cid) VALUES ($1, $2, 1, $3)',
        values: [createdAt, account, cid.bytes],
      });
    });
  },
  async (database, pin) => {
    // Without the name of a hold, as programs before it wrote.
    await database.write(changePins(account, [{ kind: 'put', pins: [pin], quota: {} }]));
  },
];

describeWithPostgres('tables of pins', (server) => {
  test.each(writers.map((write, index) => ({ version: index + 1, write })))(
    'of version $version are upgraded with their rows, while a program of that version continues to write',
    async ({ version, write }) => {
      const database = await openPostgres({ url: await server().createDatabase(), connectionsMax: 4 });
      await database.migrate({ component: 'pins', steps: pinSteps.slice(0, version) });
      await write(database, pinOf(0));
      let [written, upgraded]: [number, PinStore | undefined] = [1, undefined];
      const writing = (async () => {
        while (upgraded === undefined || written < 10) await write(database, pinOf(written++));
      })();
      upgraded = await openPostgresPinStore(database);
      await writing;
      const pins: Pin[] = [];
      for await (const pin of upgraded.list(account)) pins.push(pin);
      const byTime = pins.sort((one, other) => one.createdAt - other.createdAt);
      expect(byTime).toEqual(Array.from({ length: written }, (_, number) => pinOf(number)));
      await upgraded.put(account, [pinOf(written)]);
      await upgraded.remove(account, [pinOf(0).cid]);
      await write(database, pinOf(written + 1));
      expect(await upgraded.usage(account)).toEqual({
        pins: written + 1,
        blocks: written + 1,
        bytes: 10 * (written + 1),
      });
      await upgraded.assertConsistent();
      await database.close();
    },
  );

  test('have a writer in this test for each of their versions', () => {
    expect(writers).toHaveLength(pinSteps.length);
  });
});
