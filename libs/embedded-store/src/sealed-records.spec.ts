import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { type Database, Environment, type StoreFormat } from './index.ts';

const format: StoreFormat = { name: 'test', version: 2, seals: { upgradesFrom: 1 } };
const bytes = (text: string) => Buffer.from(text);
const text = (data: Uint8Array) => Buffer.from(data).toString();
let directory: string;
let opened: Environment[];

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'cairn-seals-'));
  opened = [];
});
afterEach(async () => {
  for (const environment of opened) await environment.close();
  rmSync(directory, { recursive: true });
});

async function open(of = format) {
  const environment = await Environment.open({ directory, format: of });
  opened.push(environment);
  return environment;
}

/** Replaces every occurrence of bytes in the data file of a closed store. */
function damage(from: Uint8Array, to: Uint8Array): void {
  const path = join(directory, 'data.mdb');
  const file = readFileSync(path);
  for (let at = file.indexOf(from); at !== -1; at = file.indexOf(from, at + 1)) file.set(to, at);
  writeFileSync(path, file);
}

async function fill(names: readonly string[], of = format): Promise<void> {
  const environment = await Environment.open({ directory, format: of });
  const database = environment.database('things');
  await environment.transaction(() => {
    for (const name of names) database.put(bytes(name), bytes(`value of ${name}`));
  });
  await environment.close();
}

const corrupt = (message: RegExp) =>
  expect.objectContaining({ code: 'STORE_CORRUPT', message: expect.stringMatching(message) });

describe('sealed records', () => {
  test('reads equal those of a sorted map after random writes', async () => {
    const environment = await open();
    const arbitraryKey = fc.uint8Array({ minLength: 1, maxLength: 3, max: 4 });
    const write = fc.record({
      key: arbitraryKey,
      value: fc.option(fc.uint8Array({ maxLength: 9 }), { nil: undefined }),
    });
    let round = 0;
    await fc.assert(
      fc.asyncProperty(
        fc.array(write, { maxLength: 40 }),
        fc.record({ start: arbitraryKey, end: arbitraryKey, prefix: arbitraryKey }, { requiredKeys: [] }),
        fc.boolean(),
        fc.option(fc.integer({ min: 1, max: 5 }), { nil: undefined }),
        async (writes, ends, reverse, limit) => {
          const database = environment.database(`model-${round++ % 4}`);
          const other = environment.database(`model-${round % 4}`);
          const model = new Map<string, Buffer>();
          await environment.transaction(() => {
            for (const key of [...database.keys()]) database.remove(key);
            for (const [index, { key, value }] of writes.entries()) {
              // A write after a lookup takes another path than one without.
              if (index % 2 === 0) database.get(key);
              if (index % 3 === 0) other.has(Buffer.from('other'));
              const name = Buffer.from(key).toString('hex');
              if (value) database.put(key, value);
              else expect(database.remove(key)).toBe(model.has(name));
              if (value) model.set(name, Buffer.from(value));
              else model.delete(name);
            }
          });
          const { start, end, prefix } = ends;
          const isInside = (key: Buffer) =>
            prefix
              ? key.subarray(0, prefix.length).equals(prefix)
              : (!start || Buffer.compare(key, start) >= 0) && (!end || Buffer.compare(key, end) < 0);
          const expected = [...model.keys()].sort().filter((name) => isInside(Buffer.from(name, 'hex')));
          if (reverse) expected.reverse();
          const options = { ...ends, reverse, ...(limit === undefined ? {} : { limit }) };
          const found = [...database.range(options)].map(({ key, value }) => [
            Buffer.from(key).toString('hex'),
            Buffer.from(value).toString('hex'),
          ]);
          expect(found).toEqual(expected.slice(0, limit).map((name) => [name, model.get(name)?.toString('hex')]));
          for (const { key } of writes) {
            const name = Buffer.from(key).toString('hex');
            expect(database.get(key) && Buffer.from(database.get(key) ?? '').toString('hex')).toBe(
              model.get(name)?.toString('hex'),
            );
          }
          expect(database.count()).toBe(model.size);
        },
      ),
      { numRuns: 150 },
    );
  });

  test('reading a damaged value throws an error that names store, database and key', async () => {
    await fill(['a', 'b', 'c']);
    damage(bytes('value of b'), bytes('value of B'));
    const database = (await open()).database('things');
    expect(text(database.get(bytes('a')) ?? bytes(''))).toBe('value of a');
    const error = corrupt(new RegExp(`Record "b" of database "things" in ${directory} is damaged`));
    expect(() => database.get(bytes('b'))).toThrow(error);
    expect(() => [...database.range()]).toThrow(error);
    expect(() => [...database.keys({ reverse: true })]).toThrow(error);
  });

  test('a key that is absent at several lookups is found after it was written, and absent after its removal', async () => {
    const database = (await open()).database('things');
    const environment = opened[0] as Environment;
    await environment.transaction(() => {
      for (const name of ['a', 'c', 'e']) database.put(bytes(name), bytes(name));
    });
    for (const name of ['0', 'b', 'd', 'f']) {
      for (let round = 0; round < 4; round++) expect(database.get(bytes(name))).toBeUndefined();
      await environment.transaction(() => {
        expect(database.get(bytes(name))).toBeUndefined();
        database.put(bytes(name), bytes('new'));
      });
      expect(text(database.get(bytes(name)) ?? bytes(''))).toBe('new');
      expect([...database.keys()].map(text)).toContain(name);
      await environment.transaction(() => void database.remove(bytes(name)));
      for (let round = 0; round < 4; round++) expect(database.get(bytes(name))).toBeUndefined();
    }
    expect([...database.keys()].map(text)).toEqual(['a', 'c', 'e']);
  });

  test.each(['aaaaaaa', 'ccccccc'])(
    'an absent key reads as damage after its neighbour %s has changed',
    async (name) => {
      await fill(['aaaaaaa', 'ccccccc']);
      const environment = await open();
      const database = environment.database('things');
      for (let round = 0; round < 4; round++) expect(database.get(bytes('bbbbbbb'))).toBeUndefined();
      damage(bytes(name), bytes(name.replaceAll(/./g, 'x')));
      environment.refresh();
      expect(() => database.get(bytes('bbbbbbb'))).toThrow(corrupt(/ /));
    },
  );

  test('a changed key reads neither as absent nor as another key', async () => {
    await fill(['alpha', 'beta', 'gamma']);
    damage(bytes('betavalue'), bytes('bftavalue'));
    damage(bytes('beta\x00value'), bytes('bfta\x00value'));
    const path = join(directory, 'data.mdb');
    const file = readFileSync(path);
    const at = file.indexOf('beta');
    if (at !== -1) writeFileSync(path, Buffer.concat([file.subarray(0, at), bytes('bfta'), file.subarray(at + 4)]));
    const database = (await open()).database('things');
    expect(() => database.get(bytes('beta'))).toThrow(corrupt(/damaged/));
    expect(() => database.has(bytes('bfta'))).toThrow(corrupt(/damaged/));
    expect(() => [...database.keys({ limit: 2 })]).toThrow(corrupt(/damaged/));
    expect(() => [...database.keys({ reverse: true })]).toThrow(corrupt(/damaged/));
  });

  test('a database with a damaged name does not read as empty', async () => {
    await fill(['a']);
    damage(bytes('things\0'), bytes('thimgs\0'));
    const file = readFileSync(join(directory, 'data.mdb'));
    if (!file.includes('thimgs')) damage(bytes('things'), bytes('thimgs'));
    const database = (await open()).database('things');
    expect(() => [...database.range()]).toThrow(corrupt(/damaged/));
    expect(() => database.get(bytes('a'))).toThrow(corrupt(/damaged/));
  });

  test('a write next to a damaged record is refused and changes nothing', async () => {
    await fill(['a', 'b', 'd']);
    damage(bytes('value of b'), bytes('value of B'));
    const environment = await open();
    const database = environment.database('things');
    for (const change of [() => database.put(bytes('c'), bytes('x')), () => database.remove(bytes('b'))])
      await expect(environment.transaction(change)).rejects.toMatchObject({ code: 'STORE_CORRUPT' });
    await environment.transaction(() => database.put(bytes('e'), bytes('x')));
    expect(text(database.get(bytes('e')) ?? bytes(''))).toBe('x');
  });

  test('errors name a secret key as the format does', async () => {
    const secret: StoreFormat = { ...format, seals: { nameKey: (database) => `(one of ${database})` } };
    await fill(['hidden'], secret);
    damage(bytes('value of hidden'), bytes('value of hiddeN'));
    const database = (await open(secret)).database('things');
    expect(() => database.get(bytes('hidden'))).toThrow(corrupt(/^Record \(one of things\)/));
    expect(() => database.get(bytes('hidden'))).not.toThrow(corrupt(/hidden/));
  });
});

describe('upgrade to seals', () => {
  const old: StoreFormat = { name: 'test', version: 1 };
  const names = Array.from({ length: 1500 }, (_, index) => `key ${index}`);

  test('seals every record of a store of the previous version', async () => {
    await fill(names, old);
    const database = (await open()).database('things');
    expect([...database.keys()].map(text)).toEqual([...names].sort());
    expect(text(database.get(bytes('key 7')) ?? bytes(''))).toBe('value of key 7');
  });

  test('makes the previous version refuse the store', async () => {
    await fill(['a'], old);
    await (await open()).close();
    await expect(Environment.open({ directory, format: old })).rejects.toMatchObject({
      code: 'STORE_VERSION_UNSUPPORTED',
    });
  });

  test('is resumed by another process after a kill at any step', async () => {
    await fill(names, old);
    const stopAfter = async (steps: number) => {
      const { ensureFormat } = await import('./ensure-format.ts');
      const { acquireRoot, releaseRoot } = await import('./shared-root.ts');
      const shared = await acquireRoot(directory, { create: true, isSynced: true });
      let left = steps;
      const transaction = async <T>(action: () => T): Promise<T> => {
        if (left-- === 0) throw new Error('killed');
        return await shared.root.childTransaction(action);
      };
      const openTable = (name: string) =>
        shared.root.openDB<Buffer, Uint8Array>({ name, encoding: 'binary', keyEncoding: 'binary' });
      await ensureFormat({
        root: shared.root,
        directory,
        format,
        isReadOnly: false,
        open: openTable,
        transaction,
      }).finally(() => releaseRoot(shared));
    };
    await expect(stopAfter(1)).rejects.toThrow('killed');
    await expect(Environment.open({ directory, format: old })).rejects.toMatchObject({
      code: 'STORE_VERSION_UNSUPPORTED',
    });
    await expect(Environment.open({ directory, format, readOnly: true })).rejects.toMatchObject({
      hint: expect.stringContaining('start a service'),
    });
    await expect(stopAfter(1)).rejects.toThrow('killed');
    const database: Database = (await open()).database('things');
    expect([...database.keys()].map(text)).toEqual([...names].sort());
  });
});
