import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { Environment, prefixEnd } from './index.ts';

const format = { name: 'test', version: 1 };
const key = (text: string) => Buffer.from(text);
let directory: string;
let opened: Environment[];

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'cairn-environment-'));
  opened = [];
});
afterEach(async () => {
  for (const environment of opened) await environment.close();
  rmSync(directory, { recursive: true });
});

async function open(path = directory, options = {}) {
  const environment = await Environment.open({ directory: path, format, ...options });
  opened.push(environment);
  return environment;
}

describe('Environment', () => {
  test('keeps what a transaction wrote across closing', async () => {
    const first = await open();
    const database = first.database('things');
    await first.transaction(() => {
      database.put(key('a'), key('1'));
      expect(database.get(key('a'))).toEqual(key('1'));
    });
    await first.close();
    const again = (await open()).database('things');
    expect(again.get(key('a'))).toEqual(key('1'));
    expect(again.count()).toBe(1);
  });

  test('a transaction that throws leaves nothing behind, a batch what came before', async () => {
    const environment = await open();
    const database = environment.database('things');
    const fail = () => {
      database.put(key('a'), key('1'));
      throw new Error('planted');
    };
    await expect(environment.transaction(fail)).rejects.toThrow('planted');
    expect(database.has(key('a'))).toBe(false);
    await expect(environment.batch(fail)).rejects.toThrow('planted');
    expect(database.has(key('a'))).toBe(true);
  });

  test('concurrent transactions read their predecessors: no update is lost', async () => {
    const environment = await open();
    const database = environment.database('counter');
    const increment = () =>
      environment.transaction(() => {
        const before = Number(Buffer.from(database.get(key('n')) ?? key('0')).toString());
        database.put(key('n'), key(String(before + 1)));
      });
    await Promise.all(Array.from({ length: 200 }, increment));
    expect(Buffer.from(database.get(key('n')) ?? '').toString()).toBe('200');
  });

  test('refuses writes outside of a transaction and after closing', async () => {
    const environment = await open();
    const database = environment.database('things');
    expect(() => database.put(key('a'), key('1'))).toThrow('outside of a transaction');
    await environment.close();
    await expect(environment.transaction(() => 1)).rejects.toMatchObject({ code: 'STORE_CLOSED' });
  });

  test('refuses a store of another format, naming both', async () => {
    await (await open()).close();
    await expect(Environment.open({ directory, format: { name: 'test', version: 2 } })).rejects.toMatchObject({
      code: 'STORE_VERSION_UNSUPPORTED',
      message: expect.stringContaining('"test/1", not "test/2"'),
    });
  });

  test('a directory that is a file, and a file that is no environment, get typed errors', async () => {
    const file = join(directory, 'file');
    writeFileSync(file, 'x');
    await expect(Environment.open({ directory: file, format })).rejects.toMatchObject({ code: 'STORE_UNAVAILABLE' });
    writeFileSync(join(directory, 'data.mdb'), Buffer.alloc(16_384, 7));
    await expect(Environment.open({ directory, format })).rejects.toMatchObject({ code: 'STORE_CORRUPT' });
  });

  test('backs up while open', async () => {
    const environment = await open();
    const database = environment.database('things');
    await environment.transaction(() => database.put(key('a'), key('1')));
    await environment.backup(join(directory, 'copy'));
    expect((await open(join(directory, 'copy'))).database('things').get(key('a'))).toEqual(key('1'));
  });
});

describe('Database', () => {
  const arbitraryKey = fc.uint8Array({ minLength: 1, maxLength: 6 });

  test('ranges equal those of a sorted array', async () => {
    const environment = await open();
    let round = 0;
    await fc.assert(
      fc.asyncProperty(
        fc.uniqueArray(arbitraryKey, { maxLength: 30, selector: (bytes) => Buffer.from(bytes).toString('hex') }),
        fc.record({ start: arbitraryKey, end: arbitraryKey }, { requiredKeys: [] }),
        fc.boolean(),
        fc.option(fc.integer({ min: 1, max: 5 }), { nil: undefined }),
        async (keys, ends, reverse, limit) => {
          const database = environment.database(`range-${round++ % 8}`);
          await environment.transaction(() => {
            for (const old of [...database.keys()]) database.remove(old);
            for (const bytes of keys) database.put(bytes, bytes);
          });
          const inside = (bytes: Uint8Array) =>
            (!ends.start || Buffer.compare(bytes, ends.start) >= 0) &&
            (!ends.end || Buffer.compare(bytes, ends.end) < 0);
          const expected = keys.filter(inside).sort(Buffer.compare);
          if (reverse) expected.reverse();
          const options = { ...ends, reverse, ...(limit === undefined ? {} : { limit }) };
          const hex = (list: Iterable<Uint8Array>) => [...list].map((bytes) => Buffer.from(bytes).toString('hex'));
          expect(hex(database.keys(options))).toEqual(hex(expected.slice(0, limit)));
          expect(hex([...database.range(options)].map((entry) => entry.value))).toEqual(hex(expected.slice(0, limit)));
        },
      ),
      { numRuns: 100 },
    );
  });

  test('a prefix covers exactly the keys that start with it, to the last one', async () => {
    const environment = await open();
    const database = environment.database('prefixes');
    const keys = ['00', '01', '01ff', '01ffff', '02', 'ff', 'ffff', 'ffff00'].map((hex) => Buffer.from(hex, 'hex'));
    await environment.transaction(() => {
      for (const bytes of keys) database.put(bytes, bytes);
    });
    const found = (prefix: string) =>
      [...database.keys({ prefix: Buffer.from(prefix, 'hex') })].map((bytes) => Buffer.from(bytes).toString('hex'));
    expect(found('01')).toEqual(['01', '01ff', '01ffff']);
    expect(found('ffff')).toEqual(['ffff', 'ffff00']);
    expect(database.last({ prefix: Buffer.from('01', 'hex') })?.key).toEqual(Uint8Array.from([1, 255, 255]));
    expect(prefixEnd(Uint8Array.of(1, 255))).toEqual(Uint8Array.of(2));
    expect(prefixEnd(Uint8Array.of(255))).toBeUndefined();
  });

  test('size and has do not need the value', async () => {
    const environment = await open();
    const database = environment.database('sizes');
    await environment.batch(() => database.put(key('big'), Buffer.alloc(300_000, 1)));
    expect(database.size(key('big'))).toBe(300_000);
    expect(database.has(key('big'))).toBe(true);
    expect(database.size(key('none'))).toBeUndefined();
    expect(database.get(key('big'))).toHaveLength(300_000);
  });
});
