import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type CollectableBlockstore, createMemoryBlockstore, openLmdbBlockstore } from '@cairn/blockstore';
import { CID, cidFor } from '@cairn/cid';
import * as dagCbor from '@ipld/dag-cbor';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { Collector, openLmdbPinStore, Pinning, type PinStore, walkDag } from './index.ts';

let directory: string;
let pins: PinStore;
let blocks: CollectableBlockstore;
let pinning: Pinning;
let collector: Collector;
beforeEach(async () => {
  directory = mkdtempSync(join(tmpdir(), 'cairn-collector-'));
  await open(createMemoryBlockstore());
});
afterEach(async () => {
  await close();
  rmSync(directory, { recursive: true });
});
async function open(store: CollectableBlockstore) {
  blocks = store;
  pins ??= await openLmdbPinStore({ directory: join(directory, 'pins') });
  pinning = new Pinning({ pins, blocks, collectable: blocks });
  collector = new Collector({ pins, blocks, collectable: blocks, graceSeconds: 0 });
}
async function close() {
  await pins.close();
  await blocks.close();
  pins = undefined as unknown as PinStore;
}

const blockOf = (codec: 'raw' | 'dag-cbor', bytes: Uint8Array) => ({ cid: cidFor(bytes, { codec }), bytes });
const leafOf = (text: string) => blockOf('raw', Buffer.from(text));
const nodeOf = (links: readonly CID[], text = '') => blockOf('dag-cbor', dagCbor.encode({ links, text }));
const has = (cids: readonly CID[]) => Promise.all(cids.map((cid) => blocks.has(cid)));

test('removes what nobody holds, keeps pins of every kind, and says what it did', async () => {
  const [a, b, c, d, e] = ['a', 'b', 'c', 'd', 'e'].map(leafOf) as [Leaf, Leaf, Leaf, Leaf, Leaf];
  type Leaf = ReturnType<typeof leafOf>;
  const [inner, direct, garbage] = [nodeOf([a.cid]), nodeOf([c.cid], 'direct'), nodeOf([d.cid], 'garbage')];
  const root = nodeOf([inner.cid, b.cid]);
  await blocks.putMany([a, b, c, d, e, inner, direct, garbage, root]);
  await pinning.pin('alice', root.cid);
  await pinning.pin('bob', root.cid);
  await pinning.pin('bob', direct.cid, { mode: 'direct' });
  await pinning.unpin('alice', [root.cid]);
  const sources = [
    {
      async *roots() {
        yield e.cid;
      },
    },
  ];
  const withSources = new Collector({ pins, blocks, collectable: blocks, sources, graceSeconds: 0 });
  const report = await withSources.collect();
  expect(report).toMatchObject({ roots: 2, marked: 6, removed: 3, unreadable: [] });
  expect(report.removedBytes).toBe(1 + 1 + garbage.bytes.length);
  expect(await has([a, b, e, inner, direct, root].map(({ cid }) => cid))).toEqual(Array(6).fill(true));
  expect(await has([c, d, garbage].map(({ cid }) => cid))).toEqual(Array(3).fill(false));
});

test('a block pinned as raw by one account keeps what it links to for the other', async () => {
  const leaf = leafOf('leaf');
  const inner = nodeOf([leaf.cid]);
  const root = nodeOf([inner.cid], 'root');
  await blocks.putMany([leaf, inner, root]);
  // The raw name is pinned under a key that comes first, so that it is marked first.
  const asRaw = CID.createV1(0x55, inner.cid.multihash);
  await pinning.pin('mallory', asRaw);
  await pinning.pin('mallory', inner.cid, { mode: 'direct' });
  await pinning.pin('alice', root.cid);
  await collector.collect();
  expect(await has([leaf.cid])).toEqual([true]);
});

test('spares what is recent, what is being written, and what a session walked over', async () => {
  const [recent, written, old] = [leafOf('recent'), leafOf('written'), leafOf('old')];
  await blocks.putMany([recent, old]);
  expect(await new Collector({ pins, blocks, collectable: blocks }).collect()).toMatchObject({ removed: 0 });
  const session = await pinning.write('alice');
  await session.store.putMany([written]);
  await session.touch(old.cid);
  expect(await collector.collect()).toMatchObject({ removed: 1 });
  expect(await has([recent.cid, written.cid, old.cid])).toEqual([false, true, true]);
  await session.end();
  expect(await collector.collect()).toMatchObject({ removed: 2 });
});

test('an account discards what it alone wrote at once, and is told of that only', async () => {
  const [own, shared, others] = ['own', 'shared', 'others'].map(leafOf) as [Leaf, Leaf, Leaf];
  type Leaf = ReturnType<typeof leafOf>;
  for (const [account, written] of [
    ['alice', [own, shared]],
    ['bob', [shared, others]],
  ] as const) {
    const session = await pinning.write(account);
    await session.store.putMany(written);
    await session.pin(written[0].cid);
    await session.end();
    await pinning.unpin(account, [written[0].cid]);
  }
  const graceful = new Collector({ pins, blocks, collectable: blocks });
  const removed: string[] = [];
  const onRemoved = (cids: readonly CID[]) => removed.push(...cids.map(String));
  expect(await graceful.collectFor('alice', { onRemoved })).toEqual({ removed: 1, unreadable: [] });
  expect(removed).toEqual([own.cid.toString()]);
  expect(await has([own.cid, shared.cid, others.cid])).toEqual([false, true, true]);
});

test('of leftovers only, keeps what a write of the account has reported', async () => {
  const reported = leafOf('reported');
  const left = leafOf('left');
  const session = await pinning.write('alice');
  await session.store.putMany([reported]);
  await session.claimUnpinned();
  await session.end();
  const failed = await pinning.write('alice');
  await failed.store.putMany([left]);
  await failed.end();
  expect(await collector.collectFor('alice', { leftoversOnly: true })).toEqual({ removed: 1, unreadable: [] });
  expect(await has([reported.cid, left.cid])).toEqual([true, false]);
  expect(await collector.collectFor('alice')).toMatchObject({ removed: 1 });
});

test('removes nothing while it cannot know what a DAG holds, and says which', async () => {
  const leaf = leafOf('leaf');
  const inner = nodeOf([leaf.cid]);
  const root = nodeOf([inner.cid], 'root');
  const garbage = leafOf('garbage');
  await blocks.putMany([leaf, inner, root, garbage]);
  await pinning.pin('alice', root.cid);
  await blocks.quarantine(inner.cid);
  const report = await collector.collect();
  expect(report).toMatchObject({ removed: 0, unreadable: [{ root: root.cid.toString() }] });
  expect(await has([leaf.cid, garbage.cid])).toEqual([true, true]);
  await blocks.putMany([inner]);
  expect(await collector.collect()).toMatchObject({ removed: 1, unreadable: [] });
  expect(await has([leaf.cid])).toEqual([true]);
});

test('one at a time; an aborted one goes on where it was', async () => {
  const lock = await pins.tryLockCollection();
  await expect(collector.collect()).rejects.toMatchObject({ code: 'COLLECTION_BUSY' });
  await lock?.release();
  const garbage = leafOf('garbage');
  await blocks.putMany([garbage]);
  const reason = new Error('shutting down');
  await expect(collector.collect({ signal: AbortSignal.abort(reason) })).rejects.toBe(reason);
  const cycle = await blocks.cycle();
  expect(await collector.collect()).toMatchObject({ cycle, removed: 1 });
  expect((await collector.collect()).cycle).toBe(cycle + 1);
});

test('reads no leaves, and no subtree twice', async () => {
  const leaves = Array.from({ length: 50 }, (_, n) => leafOf(`leaf ${n}`));
  const shared = nodeOf(leaves.map(({ cid }) => cid));
  const roots = Array.from({ length: 20 }, (_, n) => nodeOf([shared.cid, shared.cid], `root ${n}`));
  await blocks.putMany([...leaves, shared, ...roots]);
  for (const { cid } of roots) await pinning.pin('alice', cid);
  const read: string[] = [];
  const counting = Object.create(blocks, {
    get: {
      value: (cid: CID) => {
        read.push(cid.toString());
        return blocks.get(cid);
      },
    },
  });
  await new Collector({ pins, blocks: counting, collectable: blocks, graceSeconds: 0 }).collect();
  expect(read.length).toBe(21);
  expect(new Set(read).size).toBe(21);
});

describe('under random work of several accounts', () => {
  // A fixed pool of DAGs that share blocks: node n links to some of the blocks before it.
  const pool = [leafOf('0'), leafOf('1'), leafOf('2')];
  for (const links of [[0, 1], [1, 2], [3], [3, 4, 2], [5, 6], [0]])
    pool.push(
      nodeOf(
        links.map((n) => pool[n]?.cid ?? leafOf('').cid),
        `node ${pool.length}`,
      ),
    );
  const index = fc.nat(pool.length - 1);
  const account = fc.constantFrom('a', 'b', 'c');
  const command = fc.oneof(
    { weight: 4, arbitrary: fc.record({ kind: fc.constant('add' as const), account, index }) },
    { weight: 2, arbitrary: fc.record({ kind: fc.constant('pin' as const), account, index, direct: fc.boolean() }) },
    { weight: 3, arbitrary: fc.record({ kind: fc.constant('unpin' as const), account, index }) },
    { weight: 2, arbitrary: fc.record({ kind: fc.constant('write' as const), account, index }) },
    { weight: 1, arbitrary: fc.record({ kind: fc.constantFrom('end' as const, 'collect' as const) }) },
    { weight: 2, arbitrary: fc.record({ kind: fc.constant('kill' as const), steps: fc.nat(12) }) },
    { weight: 1, arbitrary: fc.record({ kind: fc.constant('reopen' as const) }) },
  );

  /** All that is reachable from a block of the pool, itself included. */
  const closure = (cid: CID): readonly (typeof pool)[number][] => {
    const found = pool.find((block) => block.cid.equals(cid));
    if (!found) return [];
    return found.cid.code === 0x55
      ? [found]
      : [found, ...dagCbor.decode<{ links: CID[] }>(found.bytes).links.flatMap(closure)];
  };

  test('what is held stays, what is not goes, usage is exact', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(command, { minLength: 5, maxLength: 40 }), async (commands) => {
        const work = mkdtempSync(join(directory, 'run-'));
        const openStores = async () => {
          await close();
          pins = await openLmdbPinStore({ directory: join(work, 'pins') });
          await open(await openLmdbBlockstore({ directory: join(work, 'blocks') }));
        };
        await openStores();
        const model = new Map<string, Map<number, 'recursive' | 'direct'>>();
        const modelOf = (name: string) => model.get(name) ?? new Map<number, 'recursive' | 'direct'>();
        let open_: Awaited<ReturnType<Pinning['write']>>[] = [];
        let writing = new Set<string>();
        const expectHeldIsHere = async () => {
          for (const held of model.values())
            for (const [n, mode] of held) {
              const block = pool[n];
              if (!block) continue;
              expect(await has([block.cid])).toEqual([true]);
              if (mode === 'recursive') await walkDag(blocks, block.cid);
            }
          for (const key of writing) expect(await blocks.has(CID.parse(key))).toBe(true);
        };
        const endAll = async () => {
          for (const session of open_) await session.end();
          open_ = [];
          writing = new Set();
        };
        for (const step of commands) {
          if (step.kind === 'add' || step.kind === 'write') {
            const block = pool[step.index];
            if (!block) continue;
            const session = await pinning.write(step.account);
            const dag = closure(block.cid);
            await session.store.putMany(dag);
            if (step.kind === 'add') {
              await session.pin(block.cid);
              model.set(step.account, modelOf(step.account).set(step.index, 'recursive'));
              await session.end();
            } else {
              await session.store.sync();
              open_.push(session);
              for (const { cid } of dag) writing.add(cid.toString());
            }
          } else if (step.kind === 'pin') {
            const cid = pool[step.index]?.cid;
            if (!cid) continue;
            const mode = step.direct ? 'direct' : 'recursive';
            const isWhole =
              mode === 'direct'
                ? await blocks.has(cid)
                : await walkDag(blocks, cid).then(
                    () => true,
                    () => false,
                  );
            const isConflict = mode === 'direct' && modelOf(step.account).get(step.index) === 'recursive';
            const outcome = await pinning.pin(step.account, cid, { mode }).then(
              () => true,
              () => false,
            );
            expect(outcome).toBe(isWhole && !isConflict);
            if (outcome) model.set(step.account, modelOf(step.account).set(step.index, mode));
          } else if (step.kind === 'unpin') {
            const cid = pool[step.index]?.cid;
            const isPinned = modelOf(step.account).delete(step.index);
            if (cid && isPinned) await pinning.unpin(step.account, [cid]);
          } else if (step.kind === 'end') await endAll();
          else if (step.kind === 'collect') {
            await collector.collect();
            await expectHeldIsHere();
          } else if (step.kind === 'kill') {
            // Dies after some calls of the store, with its lock free, as that of a process that has ended.
            let left = step.steps;
            const dying = new Proxy(blocks, {
              get(target, name) {
                const value: unknown = Reflect.get(target, name, target);
                if (typeof value !== 'function') return value;
                return (...args: unknown[]) => {
                  if (left-- <= 0) throw new Error('killed');
                  return Reflect.apply(value, target, args);
                };
              },
            });
            await new Collector({ pins, blocks: dying, collectable: dying, graceSeconds: 0 }).collect().catch(() => {});
            await expectHeldIsHere();
          } else {
            await endAll();
            await openStores();
          }
        }
        await endAll();
        // One more, since an earlier one that was cut short resumes with the marks of its time.
        await collector.collect();
        await collector.collect();
        await expectHeldIsHere();
        const reachable = new Set<string>();
        for (const held of model.values())
          for (const [n, mode] of held)
            for (const { cid } of mode === 'recursive'
              ? closure(pool[n]?.cid ?? leafOf('').cid)
              : [pool[n] ?? leafOf('')])
              reachable.add(cid.toString());
        expect((await blocks.stats()).blocks).toBe(reachable.size);
        for (const name of ['a', 'b', 'c']) expect(await pinning.usage(name)).toEqual(await pinning.recount(name));
      }),
      { numRuns: 25 },
    );
  }, 60_000);
});
