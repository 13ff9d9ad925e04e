import { setTimeout as wait } from 'node:timers/promises';
import { rawBlock } from '@cairn/blockstore/testing';
import { createMemoryObjectStore } from '@cairn/object-store/testing';
import { Collector, Pinning } from '@cairn/pinning';
import { openPostgresPinStore } from '@cairn/pinning/postgres';
import { openPostgres, type Postgres } from '@cairn/postgres';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { describeWithPostgres } from '../../../tools/engines/jest.mjs';
import { openPackBlockstore } from './index.ts';

const account = 'alice';

async function openProcess(database: Postgres, objects: ReturnType<typeof createMemoryObjectStore>, now = Date.now) {
  const blocks = await openPackBlockstore({ database, objects, now, silentSeconds: 0 });
  const pins = await openPostgresPinStore(database);
  const close = async () => {
    await blocks.close();
    await pins.close();
  };
  return { blocks, pins, close, pinning: new Pinning({ blocks, pins, collectable: blocks, now }) };
}

/** A process with holds of other processes that count as silent: each of its collections ends them. */
describeWithPostgres('a writer that is paused while another process collects', (server) => {
  let database: Postgres;
  let writer: Awaited<ReturnType<typeof openProcess>>;
  let collecting: Awaited<ReturnType<typeof openProcess>>;
  beforeEach(async () => {
    database = await openPostgres({ url: await server().createDatabase() });
    const objects = createMemoryObjectStore();
    writer = await openProcess(database, objects);
    collecting = await openProcess(database, objects, () => Date.now() + 2 * 3_600_000);
  });
  afterEach(async () => {
    await writer.close();
    await collecting.close();
    await database.close();
  });
  const collect = () => new Collector({ ...collecting, collectable: collecting.blocks, graceSeconds: 3600 }).collect();

  test('is refused with HOLD_LOST, pins nothing, and succeeds when it is repeated', async () => {
    const block = rawBlock('written before the pause');
    const session = await writer.pinning.write(account);
    await session.store.putMany([block]);
    await session.store.sync();
    await collect();
    expect(await collecting.blocks.has(block.cid)).toBe(false);

    await expect(session.pin(block.cid)).rejects.toMatchObject({ code: 'HOLD_LOST' });
    await expect(writer.pins.put(account, [pinOf(block)], { fence: session.fence })).rejects.toMatchObject({
      code: 'HOLD_LOST',
      details: { retryAfterSeconds: 1 },
    });
    await expect(session.confirm()).rejects.toMatchObject({ code: 'HOLD_LOST' });
    await session.end();
    expect(await writer.pins.get(account, block.cid)).toBeUndefined();
    expect(await writer.pinning.usage(account)).toMatchObject({ pins: 0, bytes: 0 });

    const again = await writer.pinning.write(account);
    await again.store.putMany([block]);
    await again.pin(block.cid);
    await again.end();
    await collect();
    expect(Buffer.from(await collecting.blocks.get(block.cid)).equals(block.bytes)).toBe(true);
  });

  test('is refused after later holds of its process have renewed the row of the holder', async () => {
    const session = await writer.pinning.write(account);
    await session.store.putMany([rawBlock('lost')]);
    await collect();
    const later = await writer.pinning.write('bob');
    expect(later.fence).not.toBe(session.fence);
    await expect(later.confirm()).resolves.toBeUndefined();
    await expect(session.confirm()).rejects.toMatchObject({ code: 'HOLD_LOST' });
    await session.end();
    await later.end();
  });

  test('gets no success for blocks without a pin', async () => {
    const session = await writer.pinning.write(account);
    await session.store.putMany([rawBlock('unpinned')]);
    await collect();
    await expect(session.claimUnpinned()).rejects.toMatchObject({ code: 'HOLD_LOST' });
    await session.end();
  });

  test('is refused after the account removed blocks through another process', async () => {
    const session = await writer.pinning.write(account);
    await collecting.blocks.beginDiscard(1);
    await expect(session.confirm()).rejects.toMatchObject({ code: 'HOLD_LOST' });
    await session.end();
  });

  test('a collection that begins during the commit of a pin waits and finds the pin', async () => {
    const block = rawBlock('committed during the begin');
    const session = await writer.pinning.write(account);
    await session.store.putMany([block]);
    await session.store.sync();
    let collected: Promise<unknown> = Promise.resolve();
    await database.transaction(async (transaction) => {
      // The lock that the statement of a pin takes.
      await transaction.run({
        text: 'SELECT FROM pack_holders WHERE holder = $1 FOR KEY SHARE',
        values: [String(session.fence)],
      });
      collected = collect();
      await waitForLock(database);
      await transaction.run({
        text: 'SELECT * FROM cairn_change_pins_v1($1, 1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13)',
        values: [
          account,
          [0],
          [null],
          [0],
          [1],
          [block.cid.bytes],
          [1],
          [null],
          [null],
          [false],
          [1],
          [1],
          [block.bytes.length],
        ],
      });
    });
    await collected;
    expect(await collecting.blocks.has(block.cid)).toBe(true);
    await session.end();
  });
});

/** Resolves when a statement waits for a lock. */
async function waitForLock(database: Postgres): Promise<void> {
  const text = "SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'";
  while ((await database.read({ text })).rows.length === 0) await wait(10);
}

function pinOf({ cid, bytes }: ReturnType<typeof rawBlock>) {
  return { cid, mode: 'recursive' as const, name: undefined, createdAt: 1, size: { blocks: 1, bytes: bytes.length } };
}
