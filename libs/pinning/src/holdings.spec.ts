// Model test of several accounts that put, pin, unpin, discard and collect under a quota, over a pool of DAGs with shared
// blocks. The model tracks pins, claims and leftovers of each account, independently of the stores.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type CollectableBlockstore, createMemoryBlockstore, openLmdbBlockstore } from '@cairn/blockstore';
import type { CID } from '@cairn/cid';
import { openPostgres } from '@cairn/postgres';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { describeWithPostgres } from '../../../tools/engines/jest.mjs';
import {
  AccountModel,
  blockOf,
  closure,
  names,
  pool,
  quotaBytes,
  type Step,
  sizeOf,
  step,
  union,
} from './holdings.fixture.ts';
import { Collector, openLmdbPinStore, Pinning, type PinStore, walkDag } from './index.ts';
import { openPostgresPinStore } from './postgres/index.ts';

interface Stores {
  readonly pins: PinStore;
  readonly blocks: CollectableBlockstore;
}

class Run {
  readonly models = new Map(names.map((name) => [name, new AccountModel()]));
  pinning: Pinning;
  collector: Collector;

  constructor(public stores: Stores) {
    this.pinning = new Pinning({ ...stores, collectable: stores.blocks });
    this.collector = new Collector({ ...stores, collectable: stores.blocks, graceSeconds: 0 });
  }

  model(name: (typeof names)[number]): AccountModel {
    return this.models.get(name) ?? new AccountModel();
  }

  async has(n: number): Promise<boolean> {
    return await this.stores.blocks.has(blockOf(n).cid);
  }

  /** Bytes that a write of these blocks adds to the claims of the account. */
  async write(name: (typeof names)[number], some: readonly number[]) {
    const session = await this.pinning.write(name, { quotaBytes });
    const model = this.model(name);
    const fresh = some.filter((n) => !model.claims.has(n));
    const fits = model.bytes + sizeOf(fresh) <= quotaBytes || fresh.length === 0;
    const outcome = await session.store.putMany(some.map(blockOf)).then(
      () => true,
      (error: { readonly code?: string }) => {
        expect(error.code).toBe('QUOTA_EXCEEDED');
        return false;
      },
    );
    expect(outcome).toBe(fits);
    return { session, isTaken: outcome };
  }

  async perform(next: Step): Promise<void> {
    if (next.kind === 'put') {
      const { session, isTaken } = await this.write(next.account, next.some);
      await session.claimUnpinned();
      await session.end();
      if (isTaken) for (const n of next.some) this.model(next.account).claims.add(n);
    } else if (next.kind === 'fail') {
      const { session } = await this.write(next.account, next.some);
      await session.end();
    } else if (next.kind === 'add') {
      const { session, isTaken } = await this.write(next.account, [...closure(next.n)]);
      if (isTaken) await this.pin(next.account, next.n, 'recursive', session.pin.bind(session), true);
      await session.end();
    } else if (next.kind === 'pin') {
      const pin: Run['pinning']['pin'] = (...args) => this.pinning.pin(...args);
      const mode = next.direct ? 'direct' : 'recursive';
      await this.pin(
        next.account,
        next.n,
        mode,
        (cid, options) => pin(next.account, cid, { ...options, quotaBytes }),
        false,
      );
    } else if (next.kind === 'unpin') {
      const isPinned = this.model(next.account).pins.delete(next.n);
      const outcome = this.pinning.unpin(next.account, [blockOf(next.n).cid]);
      if (isPinned) await outcome;
      else await expect(outcome).rejects.toMatchObject({ code: 'PIN_NOT_FOUND' });
    } else if (next.kind === 'discard') await this.discard(next.account, next.some);
    else if (next.kind === 'collectFor') await this.collectFor(next.account);
    else if (next.kind === 'collect') {
      await this.collector.collect();
      for (const model of this.models.values()) model.claims.clear();
      for (let n = 0; n < pool.length; n++)
        expect(await this.has(n)).toBe(union([...this.models.values()].map(({ retained }) => retained)).has(n));
    }
  }

  async pin(
    name: (typeof names)[number],
    n: number,
    mode: 'recursive' | 'direct',
    pin: (cid: CID, options: { readonly mode: 'recursive' | 'direct' }) => Promise<unknown>,
    isWritten: boolean,
  ): Promise<void> {
    const model = this.model(name);
    const needed = mode === 'recursive' ? closure(n) : new Set([n]);
    const before = model.pins.get(n);
    const isKnown = [...this.models.values()].some(({ pins }) => pins.get(n) === mode);
    const isWalked = isWritten || !isKnown || model.claims.has(n);
    const isWhole = (await Promise.all([...needed].map((m) => this.has(m)))).every(Boolean);
    const covered = isWalked ? [...model.claims].filter((m) => needed.has(m)) : [];
    const growth = before === mode ? 0 : sizeOf(needed) - (before === undefined ? 0 : sizeOf([n]));
    const fits = growth <= 0 || model.bytes - sizeOf(covered) + growth <= quotaBytes;
    const outcome = await pin(blockOf(n).cid, { mode }).then(
      () => 'pinned',
      (error: { readonly code?: string }) => error.code,
    );
    if (before === 'recursive' && mode === 'direct') expect(outcome).toBe('PIN_MODE_CONFLICT');
    else if (!isWhole) expect(['BLOCK_NOT_FOUND', fits ? '' : 'QUOTA_EXCEEDED']).toContain(outcome);
    else expect(outcome).toBe(fits ? 'pinned' : 'QUOTA_EXCEEDED');
    if (outcome !== 'pinned') return;
    model.pins.set(n, mode);
    for (const m of covered) model.claims.delete(m);
  }

  async discard(name: (typeof names)[number], some: readonly number[]): Promise<void> {
    const model = this.model(name);
    const here = await Promise.all(some.map((n) => this.has(n)));
    const outcomes = await this.pinning.discard(
      name,
      some.map((n) => blockOf(n).cid),
    );
    for (const [at, n] of some.entries()) {
      const outcome = outcomes[at];
      const isHere = await this.has(n);
      if (!here[at]) expect(outcome).toBe('absent');
      else if (model.retained.has(n)) {
        expect(outcome).toEqual({ reason: expect.stringMatching(/^pinned/) });
        expect(isHere).toBe(true);
      } else {
        // A block is removed exactly if the result says so.
        expect(isHere).toBe(outcome !== 'discarded');
        model.claims.delete(n);
        const others = [...this.models].filter(([other]) => other !== name);
        if (others.some(([, { retained, claims }]) => retained.has(n) || claims.has(n)))
          expect(outcome).toEqual({ reason: expect.stringContaining('another account') });
      }
    }
  }

  async collectFor(name: (typeof names)[number]): Promise<void> {
    const model = this.model(name);
    const before = await Promise.all(pool.map((_, n) => this.has(n)));
    const removed: string[] = [];
    const onRemoved = (cids: readonly CID[]) =>
      removed.push(...cids.map(({ multihash }) => Buffer.from(multihash.bytes).toString('hex')));
    const report = await this.collector.collectFor(name, { onRemoved });
    expect(report.unreadable).toEqual([]);
    const stored = pool.filter((_, n) => before[n]);
    const now = await Promise.all(stored.map(({ cid }) => this.stores.blocks.has(cid)));
    const expected = stored
      .filter((_, at) => !now[at])
      .map(({ cid }) => Buffer.from(cid.multihash.bytes).toString('hex'));
    expect(removed.sort()).toEqual(expected.sort());
    model.claims.clear();
    // A second collection removes nothing.
    expect(await this.collector.collectFor(name)).toEqual({ removed: 0, unreadable: [] });
  }

  /** Verifies the invariants that apply at any time. */
  async check(): Promise<void> {
    for (const [name, model] of this.models) {
      const [usage, claimed] = [await this.pinning.usage(name), await this.pinning.claimed(name)];
      expect({ name, pinned: usage.bytes, pins: usage.pins }).toEqual({
        name,
        pinned: model.pinnedBytes,
        pins: model.pins.size,
      });
      expect({ name, ...claimed }).toEqual({ name, blocks: model.claims.size, bytes: sizeOf(model.claims) });
      expect([await this.pinning.recount(name), await this.pinning.recountClaimed(name)]).toEqual([usage, claimed]);
      for (const n of model.claims) expect(await this.has(n)).toBe(true);
      for (const [n, mode] of model.pins) {
        if (mode === 'recursive') await walkDag(this.stores.blocks, blockOf(n).cid);
        else expect(await this.has(n)).toBe(true);
      }
    }
  }
}

describe('random writes, pins and collections of several accounts', () => {
  let directory: string;
  beforeEach(() => {
    directory = mkdtempSync(join(tmpdir(), 'cairn-holdings-'));
  });
  afterEach(() => rmSync(directory, { recursive: true }));

  const play = async (open: (work: string) => Promise<Stores>, steps: readonly Step[]) => {
    const work = mkdtempSync(join(directory, 'run-'));
    let run = new Run(await open(work));
    for (const next of steps) {
      if (next.kind === 'reopen') {
        const { models, stores } = run;
        const blocks = await open(work);
        // State after a kill: the old objects are no longer used.
        run = Object.assign(new Run(blocks), { models });
        await Promise.all([stores.pins.close(), stores.blocks.close()].map((closing) => closing.catch(() => {})));
      } else await run.perform(next);
      await run.check();
    }
    for (const name of names) await run.collectFor(name);
    await run.check();
    await run.collector.collect();
    await run.check();
    const retained = union([...run.models.values()].map((model) => model.retained));
    expect((await run.stores.blocks.stats()).blocks).toBe(retained.size);
    await Promise.all([run.stores.pins.close(), run.stores.blocks.close()]);
  };

  test('match the model in LMDB: complete pins, correct results, exact counts', async () => {
    const open = async (work: string) => ({
      pins: await openLmdbPinStore({ directory: join(work, 'pins') }),
      blocks: await openLmdbBlockstore({ directory: join(work, 'blocks') }),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 25 }), (steps) => play(open, steps)),
      { numRuns: 25 },
    );
  });

  test('match the model in memory: complete pins, correct results, exact counts', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 30 }), (steps) =>
        play(
          async (work) => ({
            pins: await openLmdbPinStore({ directory: join(work, 'pins') }),
            blocks: createMemoryBlockstore(),
          }),
          steps.filter(({ kind }) => kind !== 'reopen'),
        ),
      ),
      { numRuns: 25 },
    );
  });

  describeWithPostgres('with pins in PostgreSQL', (server) => {
    test('match the model: complete pins, correct results, exact counts', async () => {
      const urls = new Map<string, string>();
      const open = async (work: string) => {
        const url = urls.get(work) ?? (await server().createDatabase());
        urls.set(work, url);
        const database = await openPostgres({ url, connectionsMax: 2 });
        const pins = await openPostgresPinStore(database);
        pins.close = () => database.close();
        return { pins, blocks: await openLmdbBlockstore({ directory: join(work, 'blocks') }) };
      };
      await fc.assert(
        fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 25 }), (steps) => play(open, steps)),
        { numRuns: 25 },
      );
    }, 300_000);
  });
});
