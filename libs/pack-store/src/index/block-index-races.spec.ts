// Each test brings one interleaving about: a transaction of another process is open, and the call under test waits for its lock.
import type { Block } from '@cairn/blockstore';
import { rawBlock } from '@cairn/blockstore/testing';
import { createMemoryObjectStore } from '@cairn/object-store/testing';
import { openPostgres, type Postgres, type Transaction } from '@cairn/postgres';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { describeWithPostgres } from '../../../../tools/engines/jest.mjs';
import { MemoryPackWriter, memoryPackReader } from '../memory-packs.fixture.ts';
import { PackBlockstore } from '../pack-blockstore.ts';
import { auditIndex } from './audit.fixture.ts';
import { BlockIndex } from './block-index.ts';

describeWithPostgres('concurrent statements of the block index', (server) => {
  let database: Postgres;
  let other: Postgres;
  let index: BlockIndex;
  let store: PackBlockstore;
  const [a, b] = ['a', 'bb'].map(rawBlock) as [Block, Block];
  const hash = ({ cid }: Block) => cid.multihash.bytes;

  beforeEach(async () => {
    const url = await server().createDatabase();
    database = await openPostgres({ url, connectionsMax: 4 });
    other = await openPostgres({ url, connectionsMax: 4 });
    index = await BlockIndex.open({ database });
    const bucket = createMemoryObjectStore();
    const writer = new MemoryPackWriter(bucket, index.onPack);
    store = new PackBlockstore({ index, writer, reader: memoryPackReader(bucket) });
    await store.putMany([a, b], { owner: 7 });
    await store.sync();
  });
  afterEach(async () => {
    expect(await auditIndex(other)).toEqual([]);
    await store.close();
    await database.close();
    await other.close();
  });

  /** Runs `before` in a transaction of the other process, and commits it once the call `act` waits for its locks. */
  async function overtake<T>(
    before: (transaction: Transaction) => Promise<unknown>,
    act: () => Promise<T>,
  ): Promise<T> {
    let acting: Promise<T> | undefined;
    await other.transaction(async (transaction) => {
      await before(transaction);
      acting = act();
      acting.catch(() => {});
      const text = 'SELECT count(*)::integer AS waiting FROM pg_locks WHERE NOT granted';
      for (let isWaiting = false; !isWaiting; ) {
        const { rows } = await other.read<{ waiting: number }>({ text });
        isWaiting = (rows[0]?.waiting ?? 0) > 0;
      }
    });
    if (acting === undefined) throw new Error('The call did not start.');
    return await acting;
  }

  const touchIn = (transaction: Transaction, block: Block, owner: number) =>
    transaction.run({
      text: `UPDATE pack_blocks SET touched_in = (SELECT number FROM pack_cycle), owner = CASE WHEN owner = $2 THEN owner ELSE 0 END
        WHERE multihash = $1`,
      values: [hash(block), owner],
    });
  const sweep = async (cycle: number) =>
    (await store.sweep({ cycle, graceSeconds: 0, limit: 100 })).removed.map(String).sort();

  test('a sweep spares a block that is touched while it waits', async () => {
    const cycle = await store.beginCycle();
    expect(
      await overtake(
        (transaction) => touchIn(transaction, a, 7),
        () => sweep(cycle),
      ),
    ).toEqual([`${b.cid}`]);
  });

  test('a sweep spares a block that is marked while it waits', async () => {
    const cycle = await store.beginCycle();
    const mark = (transaction: Transaction) =>
      transaction.run({ text: 'UPDATE pack_blocks SET mark = $2 WHERE multihash = $1', values: [hash(a), cycle] });
    expect(await overtake(mark, () => sweep(cycle))).toEqual([`${b.cid}`]);
  });

  test('a sweep that waits for the begin of a later cycle removes nothing', async () => {
    const cycle = await store.beginCycle();
    const begin = (transaction: Transaction) =>
      transaction.run({ text: 'UPDATE pack_cycle SET number = number + 1, collection = number + 1' });
    await expect(overtake(begin, () => sweep(cycle))).rejects.toMatchObject({ code: 'CYCLE_OVER' });
    expect((await store.stats()).blocks).toBe(2);
  });

  test('a discard keeps a block that another owner or a later write touches while it waits', async () => {
    const keepFrom = await store.beginDiscard(7);
    const discard = (block: Block) => () => store.discardMany([block.cid], { owner: 7, keepFrom });
    expect(await overtake((transaction) => touchIn(transaction, a, 8), discard(a))).toEqual(['shared']);
    expect(await overtake((transaction) => touchIn(transaction, b, 7), discard(b))).toEqual(['busy']);
  });

  test('a touch by a second owner that waits for the first makes the block shared', async () => {
    await store.beginDiscard(9);
    await overtake(
      (transaction) => touchIn(transaction, a, 7),
      () => store.touchMany([a.cid], { owner: 8 }),
    );
    const keepFrom = await store.beginDiscard(7);
    expect(await store.discardMany([a.cid], { owner: 7, keepFrom })).toEqual(['shared']);
  });

  const removeIn = async (transaction: Transaction, block: Block) => {
    await transaction.run({ text: 'SELECT 1 FROM pack_blocks WHERE multihash = $1 FOR UPDATE', values: [hash(block)] });
    await transaction.run({
      text: `WITH removed AS (DELETE FROM pack_blocks WHERE multihash = $1 RETURNING pack, length),
          counted AS (UPDATE packs SET live_blocks = live_blocks - 1, live_bytes = live_bytes - length,
            retired_at = CASE WHEN live_blocks = 1 THEN 0 END FROM removed WHERE id = pack)
        INSERT INTO pack_sums SELECT 0, -1, -length FROM removed
        ON CONFLICT (stripe) DO UPDATE SET blocks = pack_sums.blocks + EXCLUDED.blocks, bytes = pack_sums.bytes + EXCLUDED.bytes`,
      values: [hash(block)],
    });
  };

  test('a touch, a claim and a move of a block that is removed while they wait do nothing', async () => {
    await store.beginCycle();
    const touched = await overtake(
      (transaction) => removeIn(transaction, a),
      () => store.touchMany([a.cid, b.cid]),
    );
    expect(touched.map(String)).toEqual([`${a.cid}`]);
    await store.putMany([a], { owner: 7 });
    await store.sync();
    await overtake(
      (transaction) => removeIn(transaction, a),
      () => store.claimMany([a.cid, b.cid], 7),
    );
    expect(await store.claimed(7)).toEqual({ blocks: 1, bytes: 2 });
    await store.putMany([a], { owner: 7 });
    await store.sync();
    const [row] = await index.packs.livePage(1, 10);
    const entry = { cid: a.cid, offset: 1, length: 1, from: row?.id ?? 0 };
    const pack = { key: 'packs/copy.car', bytes: 10, entries: [entry] };
    expect(
      await overtake(
        (transaction) => removeIn(transaction, a),
        () => index.blocks.move(pack, [entry]),
      ),
    ).toBe(0);
  });

  test('a removal that waits for a claim ends the claim', async () => {
    const claim = (transaction: Transaction) =>
      transaction.run({
        text: `WITH stored AS (SELECT multihash, length FROM pack_blocks WHERE multihash = $1 FOR KEY SHARE),
            claimed AS (INSERT INTO pack_claims SELECT 8, length, 0, 0, true, multihash FROM stored)
          INSERT INTO pack_claim_sums SELECT 8, 0, 1, length FROM stored`,
        values: [hash(a)],
      });
    await overtake(claim, () => store.delete(a.cid));
    expect(await store.claimed(8)).toEqual({ blocks: 0, bytes: 0 });
  });

  test('a claim waits for a removal, and a removal for a claim', async () => {
    await overtake(
      (transaction) =>
        transaction.run({ text: 'SELECT 1 FROM pack_blocks WHERE multihash = $1 FOR UPDATE', values: [hash(a)] }),
      () => store.claimMany([a.cid], 8),
    );
    expect(await store.claimed(8)).toEqual({ blocks: 1, bytes: 1 });
  });

  test('a hold that waits for the begin of a cycle begins after it', async () => {
    const begin = (transaction: Transaction) =>
      transaction.run({
        text: 'UPDATE pack_cycle SET number = number + 1, collection = number + 1, keep_from = number + 1',
      });
    const hold = await overtake(begin, () => store.hold({ owner: 7 }));
    const { rows } = await other.read<{ since: number }>({ text: 'SELECT since FROM pack_holds' });
    expect(rows).toEqual([{ since: 1 }]);
    await hold.release();
  });

  test('a discard removes blocks of a write that another process has just ended, and keeps those of an open one', async () => {
    const processes = await Promise.all([1, 2].map(() => BlockIndex.open({ database: other })));
    const bucket = createMemoryObjectStore();
    const [second, third] = processes.map(
      (each) =>
        new PackBlockstore({
          index: each,
          writer: new MemoryPackWriter(bucket, each.onPack),
          reader: memoryPackReader(bucket),
        }),
    ) as [PackBlockstore, PackBlockstore];
    const ended = await second.hold({ owner: 7 });
    await second.putMany([a], { owner: 7 });
    await ended.release();
    expect(await store.discardMany([a.cid], { owner: 7, keepFrom: await store.beginDiscard(7) })).toEqual(['removed']);
    const open = await third.hold({ owner: 7 });
    await third.putMany([b], { owner: 7 });
    expect(await store.discardMany([b.cid], { owner: 7, keepFrom: await store.beginDiscard(7) })).toEqual(['busy']);
    await open.release();
    await second.close();
    await third.close();
  });

  test('a cycle that waits for a hold keeps its blocks', async () => {
    const hold = async (transaction: Transaction) => {
      await transaction.run({ text: 'SELECT number FROM pack_cycle FOR SHARE' });
      await transaction.run({ text: "INSERT INTO pack_holders VALUES ('other', clock_timestamp())" });
      await transaction.run({ text: "INSERT INTO pack_holds VALUES ('other', 7, 0)" });
    };
    expect(await sweep(await overtake(hold, () => store.beginCycle()))).toEqual([]);
  });

  test('the deletion of a retired pack that waits for a new block in it keeps its bytes', async () => {
    await store.delete(a.cid);
    await store.delete(b.cid);
    const revive = (transaction: Transaction) =>
      transaction.run({ text: 'UPDATE packs SET live_blocks = 1, live_bytes = 1, retired_at = NULL' });
    // SKIP LOCKED: the pack is left to the next run, which tests it again.
    await other.transaction(async (transaction) => {
      await revive(transaction);
      expect(await index.packs.takeRetired(0, 10)).toEqual([]);
    });
    expect(await index.packs.takeRetired(0, 10)).toEqual([]);
    await other.write({ text: 'UPDATE packs SET live_blocks = 0, live_bytes = 0, retired_at = 0' });
    expect(await index.packs.takeRetired(0, 10)).toHaveLength(1);
  });
});
