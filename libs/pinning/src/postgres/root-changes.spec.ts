import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createMemoryBlockstore } from '@cairn/blockstore';
import { cidFor } from '@cairn/cid';
import { openPostgres, type Postgres } from '@cairn/postgres';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { describeWithPostgres } from '../../../../tools/engines/jest.mjs';
import { openServedBlocks, type Pin, type PinStore, rootsOfAccount, rootsOfAllPins } from '../index.ts';
import { openPostgresPinStore } from './index.ts';
import { changePins } from './pin-operations.ts';

const cidOf = (text: string) => cidFor(Buffer.from(text), { codec: 'raw' });
const pinOf = (text: string): Pin => ({
  cid: cidOf(text),
  mode: 'recursive',
  name: undefined,
  createdAt: 1,
  size: { blocks: 1, bytes: 1 },
});

describeWithPostgres('changes of roots in PostgreSQL', (server) => {
  let database: Postgres;
  let other: Postgres;
  let pins: PinStore;
  beforeEach(async () => {
    const url = await server().createDatabase();
    database = await openPostgres({ url, connectionsMax: 4 });
    other = await openPostgres({ url, connectionsMax: 4 });
    pins = await openPostgresPinStore(database);
  });
  afterEach(async () => {
    await database.close();
    await other.close();
  });

  const changes = async (position: string | undefined) => {
    const listed = await pins.rootChanges?.(position);
    if (listed === undefined) throw new Error('the changes are no longer listed');
    return { ...listed, names: listed.roots.map(({ account, mode, cid }) => `${account} ${mode} ${cid}`) };
  };

  test('each begun and ended root is listed once, in pages', async () => {
    const { position } = await changes(undefined);
    await pins.put('a', [pinOf('x')]);
    await pins.put('a', [{ ...pinOf('x'), name: 'renamed' }]);
    await pins.put('b', [{ ...pinOf('x'), mode: 'direct' }]);
    await pins.put('b', [pinOf('x')]);
    await pins.remove('a', [cidOf('x')]);
    const listed = await changes(position);
    const x = cidOf('x');
    expect(listed.names.sort()).toEqual(
      [`a recursive ${x}`, `a recursive ${x}`, `b direct ${x}`, `b direct ${x}`, `b recursive ${x}`].sort(),
    );
    expect(listed.isLast).toBe(true);
    expect((await changes(listed.position)).names).toEqual([]);
    await pins.put(
      'many',
      Array.from({ length: 2500 }, (_, index) => pinOf(`${index}`)),
    );
    const seen = new Set<string>();
    for (let next = await changes(listed.position), pages = 1; ; next = await changes(next.position), pages++) {
      for (const name of next.names) seen.add(name);
      if (!next.isLast) continue;
      expect([seen.size, pages]).toEqual([2500, 3]);
      break;
    }
  });

  test('a change of a transaction that commits late is not skipped', async () => {
    let { position } = await changes(undefined);
    await other.transaction(async (transaction) => {
      await transaction.run(changePins('late', [{ kind: 'put', pins: [pinOf('late')], quota: {} }]));
      await pins.put('a', [pinOf('early')]);
      const listed = await changes(position);
      // Both are listed after the end of the older transaction.
      expect(listed.names).toEqual([]);
      ({ position } = listed);
    });
    expect((await changes(position)).names).toHaveLength(2);
  });

  test('a position whose changes are no longer listed is refused', async () => {
    const { position } = await changes(undefined);
    await pins.put('a', [pinOf('x')]);
    const after = await changes(position);
    await database.write({ text: 'UPDATE pin_changes SET at = 0' });
    // One call in a hundred removes old changes.
    for (let n = 0; (await database.read({ text: 'SELECT FROM pin_changes WHERE at = 0' })).count > 0; n++)
      await pins.put('b', [pinOf(`${n}`)]);
    expect(await pins.rootChanges?.(position)).toBeUndefined();
    expect((await changes(after.position)).names.length).toBeGreaterThan(0);
  });

  test('the index of served blocks reads changes instead of all pins', async () => {
    const directory = mkdtempSync(join(tmpdir(), 'cairn-served-'));
    const blocks = createMemoryBlockstore();
    const texts = ['x', 'y', 'z'];
    await blocks.putMany(texts.map((text) => ({ cid: cidOf(text), bytes: Buffer.from(text) })));
    let comparisons = 0;
    const counted: PinStore = new Proxy(pins, {
      get(target, name) {
        if (name === 'roots' || name === 'list') comparisons++;
        const value: unknown = Reflect.get(target, name, target);
        return typeof value === 'function' ? value.bind(target) : value;
      },
    });
    let accounts: readonly string[] | undefined;
    const origins = () => accounts?.map((account) => rootsOfAccount(counted, account)) ?? [rootsOfAllPins(counted)];
    const served = await openServedBlocks({ directory, blocks, origins, refreshMs: 3_600_000 });
    try {
      await served.refresh();
      const first = comparisons;
      const refreshed = async () => {
        await served.refresh();
        return served.mayServe(texts.map(cidOf));
      };
      await pins.put('a', [pinOf('x'), pinOf('y')]);
      await pins.put('b', [{ ...pinOf('y'), mode: 'direct' }]);
      expect(await refreshed()).toEqual([true, true, false]);
      await pins.remove('a', [cidOf('x'), cidOf('y')]);
      expect(await refreshed()).toEqual([false, true, false]);
      expect(comparisons).toBe(first);
      // New origins are compared once.
      accounts = ['a', 'b'];
      expect(await refreshed()).toEqual([false, true, false]);
      expect(comparisons).toBe(first + 4);
      await pins.put('a', [pinOf('z')]);
      await pins.put('c', [pinOf('x')]);
      expect(await refreshed()).toEqual([false, true, true]);
      accounts = ['a'];
      expect(await refreshed()).toEqual([false, false, true]);
      expect(comparisons).toBe(first + 4);
    } finally {
      await served.close();
      rmSync(directory, { recursive: true });
    }
  });
});
