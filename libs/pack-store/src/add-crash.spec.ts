import { rawBlock } from '@cairn/blockstore/testing';
import { cidFor } from '@cairn/cid';
import type { ObjectStore } from '@cairn/object-store';
import { createMemoryObjectStore } from '@cairn/object-store/testing';
import { Collector, Pinning } from '@cairn/pinning';
import { openPostgresPinStore } from '@cairn/pinning/postgres';
import { openPostgres, type Postgres } from '@cairn/postgres';
import { expect, test } from '@jest/globals';
import { describeWithPostgres } from '../../../tools/engines/jest.mjs';
import { auditIndex } from './index/audit.fixture.ts';
import { openPackBlockstore } from './index.ts';

const hourMs = 3_600_000;

/** Calls of a process to its engines that change something. The process is killed at one of them, before or after its effect. */
class KilledProcess {
  readonly #at: number;
  readonly #isAfter: boolean;
  #calls = 0;
  #end: () => void = () => {};
  #kill: () => void = () => {};
  /** Resolves at the kill. Calls that follow have no effect and no answer. */
  readonly killed = new Promise<void>((resolve) => {
    this.#kill = resolve;
  });
  readonly #silence = new Promise<never>((_, reject) => {
    this.#end = () => reject(new Error('killed'));
  });
  isKilled = false;

  constructor(at: number, isAfter: boolean) {
    this.#at = at;
    this.#isAfter = isAfter;
    this.#silence.catch(() => {});
  }

  /** Ends the calls without an answer, so that the test can close what the process has opened. */
  end(): void {
    this.isKilled = true;
    this.#end();
  }

  wrap<T extends object>(engine: T, changes: readonly (keyof T)[]): T {
    return new Proxy(engine, {
      get: (target, name) => {
        const value: unknown = Reflect.get(target, name, target);
        if (typeof value !== 'function' || name === 'close') return value;
        const work = (args: unknown[]) => Reflect.apply(value, target, args) as unknown;
        if (!changes.includes(name as keyof T))
          return (...args: unknown[]) => (this.isKilled ? this.#silence : work(args));
        return (...args: unknown[]) => this.#change(() => work(args));
      },
    });
  }

  async #change(work: () => unknown): Promise<unknown> {
    if (this.isKilled) return await this.#silence;
    if (++this.#calls !== this.#at) return await work();
    if (this.#isAfter) await work();
    this.isKilled = true;
    this.#kill();
    return await this.#silence;
  }
}

/** A DAG of a root and two leaves, in one pack of its own. */
function dagOf(text: string) {
  const leaves = [rawBlock(`one ${text}`), rawBlock(`two ${text}`)];
  const bytes = Buffer.from(JSON.stringify(leaves.map(({ cid }) => ({ '/': `${cid}` }))));
  const root = { cid: cidFor(bytes, { codec: 'dag-json' }), bytes };
  return { root: root.cid, blocks: [...leaves, root] };
}

describeWithPostgres('an add that is killed at any call to an engine', (server) => {
  test('is pinned with all its blocks and counted, or leaves nothing behind', async () => {
    const url = await server().createDatabase();
    const objects = createMemoryObjectStore();
    let now = Date.now();
    const clock = () => now;
    const open = async (database: Postgres, bucket: ObjectStore, silentSeconds = 60) => {
      // Only a flush closes a pack.
      const writer = { waitMs: 60_000, quietMs: 0 };
      const blocks = await openPackBlockstore({ database, objects: bucket, writer, now: clock, silentSeconds });
      const pins = await openPostgresPinStore(database);
      return { blocks, pins, pinning: new Pinning({ blocks, pins, collectable: blocks, now: clock }) };
    };
    const adds: { readonly dag: ReturnType<typeof dagOf>; readonly account: string; isAcknowledged: boolean }[] = [];

    /** Adds a DAG in a process that is killed. Returns false when the add ended before the kill. */
    const addIn = async (process: KilledProcess, name: string): Promise<boolean> => {
      const database = await openPostgres({ url, connectionsMax: 3 });
      const { blocks, pinning } = await open(
        process.wrap(database, ['write', 'transaction']),
        process.wrap<ObjectStore>(objects, ['put']),
      );
      const add = { dag: dagOf(name), account: name, isAcknowledged: false };
      adds.push(add);
      const adding = (async () => {
        const session = await pinning.write(name);
        await session.store.putMany(add.dag.blocks);
        await session.pin(add.dag.root);
        add.isAcknowledged = true;
        await session.end();
      })();
      adding.catch(() => {});
      await Promise.race([process.killed, adding]);
      const isKilled = process.isKilled;
      process.end();
      await adding.catch(() => {});
      await blocks.close().catch(() => {});
      await database.close();
      return isKilled;
    };

    for (const isAfter of [false, true])
      for (let at = 1; await addIn(new KilledProcess(at, isAfter), `add ${at} ${isAfter}`); at++);

    now += 48 * hourMs;
    const database = await openPostgres({ url });
    const { blocks, pins, pinning } = await open(database, objects, 0);
    await new Collector({ pins, blocks, collectable: blocks, graceSeconds: 3600 }).collect();
    await blocks.maintenance.rewrite();
    now += 48 * hourMs;
    await blocks.maintenance.deleteRetired({ graceSeconds: 3600 });
    await blocks.maintenance.deleteOrphans({ graceSeconds: 3600, now: clock });

    let [pinned, bytes] = [0, 0];
    for (const { dag, account, isAcknowledged } of adds) {
      const isPinned = (await pins.get(account, dag.root)) !== undefined;
      // A kill between the pin and its answer leaves a pin that its client may repeat.
      if (isAcknowledged) expect({ account, isPinned }).toEqual({ account, isPinned: true });
      for (const block of dag.blocks)
        if (isPinned) expect(Buffer.from(await blocks.get(block.cid)).equals(block.bytes)).toBe(true);
        else expect(await blocks.has(block.cid)).toBe(false);
      const size = isPinned ? dag.blocks.reduce((sum, block) => sum + block.bytes.length, 0) : 0;
      expect(await pinning.usage(account)).toMatchObject({ pins: isPinned ? 1 : 0, bytes: size });
      expect(await pinning.claimed(account)).toEqual({ blocks: 0, bytes: 0 });
      if (isPinned) pinned++;
      bytes += size;
    }
    // Kills occurred on both sides of the commit of the pin, and two adds ended.
    expect(adds.filter(({ isAcknowledged }) => isAcknowledged).length).toBeGreaterThanOrEqual(2);
    expect(pinned).toBeLessThan(adds.length - 4);
    expect(await blocks.stats()).toEqual({ blocks: 3 * pinned, bytes });
    // Each pack has one DAG, so no object is left of the adds that are not pinned.
    expect(objects.objects.size).toBe(pinned);
    await pins.assertConsistent();
    expect(await auditIndex(database)).toEqual([]);
    await blocks.close();
    await pins.close();
    await database.close();
  }, 120_000);
});
