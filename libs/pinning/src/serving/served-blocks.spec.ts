import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type CollectableBlockstore, createMemoryBlockstore } from '@cairn/blockstore';
import { CID, cidFor, codecs } from '@cairn/cid';
import { openPostgres } from '@cairn/postgres';
import * as dagCbor from '@ipld/dag-cbor';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { describeWithPostgres } from '../../../../tools/engines/jest.mjs';
import { closure, names, pool, union } from '../holdings.fixture.ts';
import {
  openLmdbPinStore,
  openServedBlocks,
  Pinning,
  type PinStore,
  rootsOfAccount,
  rootsOfAllPins,
  type ServedBlocks,
  type ServedBlocksOptions,
} from '../index.ts';
import { openPostgresPinStore } from '../postgres/index.ts';

function describeIndex(openPins: (directory: string) => Promise<PinStore>): void {
  let directory: string;
  let pins: PinStore;
  let blocks: CollectableBlockstore;
  let pinning: Pinning;
  let served: ServedBlocks;
  const open = async (options: Partial<ServedBlocksOptions> = {}) => {
    served = await openServedBlocks({
      directory: join(directory, 'served'),
      blocks,
      origins: () => [rootsOfAllPins(pins)],
      refreshMs: 3_600_000,
      ...options,
    });
    return served;
  };
  beforeEach(async () => {
    directory = mkdtempSync(join(tmpdir(), 'cairn-served-'));
    blocks = createMemoryBlockstore();
    pins = await openPins(join(directory, 'pins'));
    pinning = new Pinning({ pins, blocks, collectable: blocks });
  });
  afterEach(async () => {
    await served.close();
    await pins.close();
    rmSync(directory, { recursive: true });
  });

  const poolCids = pool.map(({ cid }) => cid);
  const servedPool = () => poolCids.flatMap((cid, n) => (served.mayServe([cid])[0] ? [n] : []));

  test('blocks below pins are served, and blocks without a pin are not', async () => {
    await blocks.putMany(pool);
    const added: string[] = [];
    await open({ onServed: (cids) => added.push(...cids.map(String)) });
    await served.refresh();
    expect(servedPool()).toEqual([]);
    await pinning.pin('a', poolCids[5] as CID);
    await pinning.pin('b', poolCids[6] as CID, { mode: 'direct' });
    await served.refresh();
    expect(servedPool()).toEqual([1, 2, 5, 6]);
    // The block with a direct pin is served without its links.
    const direct = CID.createV1(codecs.raw, (poolCids[6] as CID).multihash);
    expect(added.sort()).toEqual([...[1, 2, 5].map((n) => String((poolCids[n] as CID).toV1())), String(direct)].sort());
    await pinning.unpin('a', [poolCids[5] as CID]);
    await served.refresh();
    expect(servedPool()).toEqual([6]);
    expect(served.status()).toEqual({ blocks: 1, roots: 1, waiting: 0, missing: 0 });
  });

  test('reported roots are served and released without a comparison', async () => {
    await blocks.putMany(pool);
    await open();
    await served.refresh();
    const [pinned, direct, unreported] = [5, 6, 8].map((n) => poolCids[n] as CID);
    await pinning.pin('a', pinned as CID);
    await pinning.pin('b', direct as CID, { mode: 'direct' });
    await pinning.pin('a', unreported as CID);
    // A report is no proof: nothing pins block 7.
    await served.changed([pinned as CID, direct as CID, poolCids[7] as CID]);
    expect(servedPool()).toEqual([1, 2, 5, 6]);
    await pinning.unpin('a', [pinned as CID]);
    await Promise.all([served.changed([pinned as CID]), served.changed([direct as CID])]);
    expect(servedPool()).toEqual([6]);
    // A comparison that is requested during a run for reports is not lost.
    await Promise.all([served.changed([direct as CID]), served.refresh()]);
    expect(served.mayServe([unreported as CID])).toEqual([true]);
  });

  test('only blocks of listed accounts are served, and a change of the list applies', async () => {
    await blocks.putMany(pool);
    let listed: readonly string[] = ['a'];
    await open({ origins: () => listed.map((account) => rootsOfAccount(pins, account)) });
    await pinning.pin('a', poolCids[4] as CID);
    await pinning.pin('b', poolCids[5] as CID);
    await served.refresh();
    expect(servedPool()).toEqual([0, 1, 4]);
    listed = ['a', 'b'];
    await served.refresh();
    expect(servedPool()).toEqual([0, 1, 2, 4, 5]);
    listed = ['b'];
    await served.refresh();
    expect(servedPool()).toEqual([1, 2, 5]);
    listed = [];
    await served.refresh();
    expect(served.status()).toEqual({ blocks: 0, roots: 0, waiting: 0, missing: 0 });
  });

  test('a removal applies also when its blocks were collected before', async () => {
    await blocks.putMany(pool);
    await open();
    await pinning.pin('a', poolCids[8] as CID);
    await served.refresh();
    await pinning.unpin('a', [poolCids[8] as CID]);
    for (const { cid } of pool) await blocks.delete(cid);
    await served.refresh();
    await blocks.putMany(pool);
    expect(servedPool()).toEqual([]);
    expect(served.status()).toEqual({ blocks: 0, roots: 0, waiting: 0, missing: 0 });
  });

  test('blocks below a node that is missing are served after the node is stored', async () => {
    await blocks.putMany(pool);
    await open();
    await pinning.pin('a', poolCids[8] as CID);
    await blocks.delete(poolCids[6] as CID);
    await served.refresh();
    expect(served.status().missing).toBe(1);
    await blocks.putMany(pool);
    await served.refresh();
    expect(servedPool()).toEqual([...closure(8)].sort((a, b) => a - b));
    expect(served.status().missing).toBe(0);
  });

  test('a node with more children than one transaction takes is served whole and released whole', async () => {
    const leaves = Array.from({ length: 3000 }, (_, n) => Buffer.from(`leaf ${n}`));
    const cids = leaves.map((bytes) => cidFor(bytes, { codec: 'raw' }));
    const bytes = dagCbor.encode(cids);
    const root = cidFor(bytes, { codec: 'dag-cbor' });
    await blocks.putMany([{ cid: root, bytes }, ...leaves.map((leaf, n) => ({ cid: cids[n] as CID, bytes: leaf }))]);
    await open();
    await pinning.pin('a', root);
    await served.refresh();
    expect(served.mayServe(cids)).toEqual(cids.map(() => true));
    await pinning.unpin('a', [root]);
    await served.refresh();
    expect(served.status()).toEqual({ blocks: 0, roots: 0, waiting: 0, missing: 0 });
  });

  test('the index equals a model after any changes of pins, lost blocks and restarts', async () => {
    const index = fc.nat(pool.length - 1);
    const account = fc.constantFrom(...names);
    const step = fc.oneof(
      {
        weight: 5,
        arbitrary: fc.record({ kind: fc.constant('pin' as const), account, n: index, direct: fc.boolean() }),
      },
      { weight: 4, arbitrary: fc.record({ kind: fc.constant('unpin' as const), account, n: index }) },
      { weight: 2, arbitrary: fc.record({ kind: fc.constant('lose' as const), n: index }) },
      { weight: 2, arbitrary: fc.record({ kind: fc.constant('refresh' as const) }) },
      { weight: 1, arbitrary: fc.record({ kind: fc.constant('restart' as const) }) },
    );
    let run = 0;
    await open();
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 25 }), async (steps) => {
        await served.close();
        const pinsOf = new Map<string, 'recursive' | 'direct'>();
        const origin = `run${run++}`;
        const accounts = names.map((name) => `${origin} ${name}`);
        const own = { origins: () => accounts.map((name) => rootsOfAccount(pins, name)) };
        await open(own);
        for (const one of steps) {
          if (one.kind === 'refresh') await served.refresh();
          else if (one.kind === 'restart') {
            const running = served.refresh();
            await served.close();
            await Promise.allSettled([running]);
            await open(own);
          } else if (one.kind === 'lose') await blocks.delete(poolCids[one.n] as CID);
          else {
            const cid = poolCids[one.n] as CID;
            const name = `${origin} ${one.account}`;
            const key = `${one.account} ${one.n}`;
            if (one.kind === 'unpin') {
              if (pinsOf.delete(key)) await pins.remove(name, [cid]);
            } else if (!(pinsOf.get(key) === 'recursive' && one.direct)) {
              const mode = one.direct ? ('direct' as const) : ('recursive' as const);
              const size = { blocks: 1, bytes: 1 };
              await pins.put(name, [{ cid, mode, name: undefined, createdAt: 0, size }]);
              pinsOf.set(key, mode);
            }
          }
        }
        await blocks.putMany(pool);
        await served.refresh();
        await served.refresh();
        const expected = union(
          [...pinsOf].map(([key, mode]) => {
            const n = Number(key.split(' ')[1]);
            return mode === 'recursive' ? closure(n) : [n];
          }),
        );
        expect(servedPool()).toEqual([...expected].sort((a, b) => a - b));
        expect(served.status()).toMatchObject({ blocks: expected.size, waiting: 0, missing: 0 });
      }),
      { numRuns: 60 },
    );
  });
}

describe('the index over pins in LMDB', () => describeIndex((directory) => openLmdbPinStore({ directory })));

describeWithPostgres('the index over pins in PostgreSQL', (server) => {
  describeIndex(async () => {
    const database = await openPostgres({ url: await server().createDatabase(), connectionsMax: 4 });
    const store = await openPostgresPinStore(database);
    store.close = () => database.close();
    return store;
  });
});
