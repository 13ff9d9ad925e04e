// Model test of several processes on one index and one bucket: each has a pool of its own, and all work concurrently.
import { setTimeout as wait } from 'node:timers/promises';
import type { Block } from '@cairn/blockstore';
import { rawBlock } from '@cairn/blockstore/testing';
import { isCairnError } from '@cairn/errors';
import { createMemoryObjectStore } from '@cairn/object-store/testing';
import { openPostgres, type Postgres } from '@cairn/postgres';
import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { describeWithPostgres } from '../../../tools/engines/jest.mjs';
import { auditIndex } from './index/audit.fixture.ts';
import { BlockIndex } from './index/block-index.ts';
import { deleteRetiredPacks } from './maintain/delete-packs.ts';
import type { MaintenanceParts } from './maintain/maintenance-parts.ts';
import { rewritePacks } from './maintain/rewrite-packs.ts';
import { MemoryPackWriter, memoryPackReader } from './memory-packs.fixture.ts';
import { PackBlockstore } from './pack-blockstore.ts';

const blocks = Array.from({ length: 8 }, (_, n) => rawBlock('x'.repeat(n + 1)));
const owners = [7, 8, 9];

const some = fc.subarray(blocks, { minLength: 1 });
const pause = fc.nat(3);
const writerStep = fc.record({
  kind: fc.constantFrom(
    'name' as const,
    'name' as const,
    'touch' as const,
    'unname' as const,
    'claim' as const,
    'unclaim' as const,
  ),
  some,
  pause,
});
const keeperStep = fc.record({
  kind: fc.constantFrom('collect' as const, 'discard' as const, 'rewrite' as const),
  owner: fc.constantFrom(...owners),
  limit: fc.integer({ min: 1, max: 5 }),
  pause,
});

type WriterStep = typeof writerStep extends fc.Arbitrary<infer T> ? T : never;
type KeeperStep = typeof keeperStep extends fc.Arbitrary<infer T> ? T : never;

interface Process {
  readonly store: PackBlockstore;
  readonly parts: MaintenanceParts;
}

/** Names of all owners: roots that the collectors see. An owner changes its own only. */
class Names {
  readonly #named = new Map(owners.map((owner) => [owner, new Set<Block>()]));

  of(owner: number): Set<Block> {
    return this.#named.get(owner) ?? new Set();
  }

  all(): Set<Block> {
    return new Set(owners.flatMap((owner) => [...this.of(owner)]));
  }
}

/** Runs the writes of an owner: blocks are put under a hold, then named, then the hold ends. */
async function write({ store }: Process, owner: number, names: Names, steps: readonly WriterStep[]): Promise<void> {
  const named = names.of(owner);
  for (const { kind, some: chosen, pause: milliseconds } of steps) {
    const cids = chosen.map(({ cid }) => cid);
    if (kind === 'unname') for (const block of chosen) named.delete(block);
    else if (kind === 'claim') await store.claimMany(cids, owner, { isLeftover: milliseconds === 0 });
    else if (kind === 'unclaim') await store.unclaimMany(cids, owner);
    else {
      const hold = await store.hold({ owner });
      if (kind === 'name') await store.putMany(chosen, { owner });
      const missing = kind === 'name' ? [] : await store.touchMany(cids, { owner });
      await store.sync();
      await wait(milliseconds);
      const absent = new Set(missing.map(String));
      for (const block of chosen) if (!absent.has(String(block.cid))) named.add(block);
      await hold.release();
    }
    for (const { cid, bytes } of named) expect(Buffer.from(await store.get(cid))).toEqual(Buffer.from(bytes));
  }
}

async function collect({ store }: Process, names: Names, limit: number, milliseconds: number): Promise<void> {
  const cycle = await store.beginCycle();
  await wait(milliseconds);
  await store.markMany(
    [...names.all()].map(({ cid }) => cid),
    cycle,
  );
  let start: Uint8Array | undefined;
  do {
    const step = await store.sweep({ cycle, graceSeconds: 0, start, limit });
    start = step.next;
  } while (start);
}

/** Runs collections, removals and rewrites. Another process may begin a later cycle, which ends the current one. */
async function keep(process: Process, names: Names, steps: readonly KeeperStep[]): Promise<void> {
  for (const { kind, owner, limit, pause: milliseconds } of steps) {
    if (kind === 'collect')
      await collect(process, names, limit, milliseconds).catch((error: unknown) => {
        if (!isCairnError(error, 'CYCLE_OVER')) throw error;
      });
    else if (kind === 'discard') {
      const keepFrom = await process.store.beginDiscard(owner);
      await wait(milliseconds);
      const free = blocks.filter((block) => !names.of(owner).has(block));
      await process.store.discardMany(
        free.map(({ cid }) => cid),
        { owner, keepFrom },
      );
    } else {
      await rewritePacks(process.parts);
      await deleteRetiredPacks(process.parts, { graceSeconds: 1 });
    }
  }
}

describeWithPostgres('a pack store of several processes', (server) => {
  const open = async (
    url: string,
    bucket: ReturnType<typeof createMemoryObjectStore>,
  ): Promise<Process & { readonly database: Postgres }> => {
    const database = await openPostgres({ url, connectionsMax: 6 });
    const index = await BlockIndex.open({ database });
    const reader = memoryPackReader(bucket);
    const store = new PackBlockstore({
      index,
      writer: new MemoryPackWriter(bucket, index.onPack),
      reader,
      close: () => database.close(),
    });
    const createWriter: MaintenanceParts['createWriter'] = (onPack) => new MemoryPackWriter(bucket, onPack);
    return { database, store, parts: { index, objects: bucket, reader, createWriter, readEntries: async () => [] } };
  };

  test('never removes a named block, and its sums equal its rows', async () => {
    const url = await server().createDatabase();
    const bucket = createMemoryObjectStore();
    const processes = await Promise.all([1, 2, 3, 4].map(() => open(url, bucket)));
    const [first, second, third, fourth] = processes as [(typeof processes)[0], Process, Process, Process];
    try {
      await fc.assert(
        fc.asyncProperty(
          fc.tuple(...owners.map(() => fc.array(writerStep, { minLength: 4, maxLength: 12 }))),
          fc.tuple(
            fc.array(keeperStep, { minLength: 4, maxLength: 12 }),
            fc.array(keeperStep, { minLength: 2, maxLength: 8 }),
          ),
          async (programs, [keeperSteps, otherSteps]) => {
            const names = new Names();
            for (const { cid } of blocks) await first.store.delete(cid);
            await Promise.all([
              ...programs.map((steps, index) =>
                write(processes[index % 3] ?? second, owners[index] ?? 0, names, steps),
              ),
              keep(third, names, keeperSteps),
              keep(fourth, names, otherSteps),
            ]);
            expect(await auditIndex(first.database)).toEqual([]);
            await Promise.all(processes.map(({ parts }) => parts.index.holds.refresh()));
            await collect(second, names, 3, 0);
            expect((await first.store.stats()).blocks).toBe(names.all().size);
            expect(await auditIndex(first.database)).toEqual([]);
          },
        ),
        { numRuns: 25 },
      );
    } finally {
      await Promise.all(processes.map(({ store }) => store.close()));
    }
  });
});
