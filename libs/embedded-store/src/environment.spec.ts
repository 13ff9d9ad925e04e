import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { storeErrorFrom } from './errors.ts';
import { Environment, limits, prefixEnd } from './index.ts';

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
  test('a reopened environment has the writes of a transaction', async () => {
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

  test('a transaction that throws stores no write, a batch stores its earlier writes', async () => {
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

  test('transactionSync stores its writes before it returns, and none of an action that throws', async () => {
    const environment = await open(directory, { isSynced: false });
    const database = environment.database('things');
    const put = () => {
      database.put(key('a'), key('1'));
      return 7;
    };
    expect(environment.transactionSync(put)).toBe(7);
    expect(database.get(key('a'))).toEqual(key('1'));
    const fail = () => {
      database.put(key('a'), key('2'));
      throw new Error('planted');
    };
    expect(() => environment.transactionSync(fail)).toThrow('planted');
    expect(database.get(key('a'))).toEqual(key('1'));
    await environment.transaction(() =>
      database.put(
        key('b'),
        environment.transactionSync(() => key('3')),
      ),
    );
    expect(database.get(key('b'))).toEqual(key('3'));
  });

  test('transactionSync refuses an environment that waits for the disk, and a promise', async () => {
    const synced = await open();
    expect(() => synced.transactionSync(() => 1)).toThrow('waits for the disk');
    const unsynced = await open(join(directory, 'other'), { isSynced: false });
    expect(() => unsynced.transactionSync(async () => 1)).toThrow('returned a promise');
  });

  test('concurrent transactions lose no update', async () => {
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

  test('close commits the transactions that were accepted before, and refuses all later ones', async () => {
    const environment = await open();
    const database = environment.database('things');
    const refused: unknown[] = [];
    const later = () => environment.transaction(() => {}).catch((error: unknown) => refused.push(error));
    const accepted = Array.from({ length: 50 }, (_, number) =>
      environment.transaction(() => database.put(key(`k${number}`), key('1'))).then(later),
    );
    const closed = environment.close();
    await Promise.all([later(), ...accepted]);
    await closed;
    await later();
    expect(refused).toHaveLength(52);
    for (const error of refused) expect(error).toMatchObject({ code: 'STORE_CLOSED' });
    const again = await open();
    expect(again.database('things').count()).toBe(50);
    await again.close();
  });

  test('transaction refuses an action that returns a promise and stores none of its writes', async () => {
    const environment = await open();
    const database = environment.database('things');
    const action = async () => database.put(key('a'), key('1'));
    await expect(environment.transaction(action)).rejects.toMatchObject({
      code: 'STORE_WRITE_FAILED',
      hint: expect.stringContaining('synchronous'),
    });
    expect(database.has(key('a'))).toBe(false);
  });

  test('two environments of one directory in one thread write concurrently and close independently', async () => {
    const [first, second] = [await open(), await open()];
    const [one, two] = [first.database('things'), second.database('things')];
    const writes = Array.from({ length: 20 }, (_, n) =>
      (n % 2 ? first : second).transaction(() => (n % 2 ? one : two).put(key(String(n)), key('1'))),
    );
    // Creates a database while the transactions above wait for this thread. A second lmdb handle would deadlock here.
    second.database('created meanwhile');
    await Promise.all(writes);
    expect([one.count(), two.count()]).toEqual([20, 20]);
    await first.close();
    await second.transaction(() => two.remove(key('0')));
    expect(two.count()).toBe(19);
  });

  test('a read-only environment creates nothing, refuses writes and sees commits of others', async () => {
    await expect(open(directory, { readOnly: true })).rejects.toMatchObject({ code: 'STORE_UNAVAILABLE' });
    const writer = await open();
    await writer.transaction(() => writer.database('things').put(key('a'), key('1')));
    const reader = await open(directory, { readOnly: true });
    expect(reader.database('things').get(key('a'))).toEqual(key('1'));
    expect(() => reader.database('none')).toThrow(expect.objectContaining({ code: 'STORE_UNAVAILABLE' }));
    await expect(reader.transaction(() => 1)).rejects.toMatchObject({ code: 'STORE_WRITE_FAILED' });
  });

  test('open refuses a store of another format and names both', async () => {
    await (await open()).close();
    await expect(Environment.open({ directory, format: { name: 'test', version: 2 } })).rejects.toMatchObject({
      code: 'STORE_VERSION_UNSUPPORTED',
      message: expect.stringContaining('"test/1", not "test/2"'),
    });
  });

  test('open throws typed errors for a file instead of a directory and for a foreign data file', async () => {
    const file = join(directory, 'file');
    writeFileSync(file, 'x');
    await expect(Environment.open({ directory: file, format })).rejects.toMatchObject({ code: 'STORE_UNAVAILABLE' });
    writeFileSync(join(directory, 'data.mdb'), Buffer.alloc(16_384, 7));
    await expect(Environment.open({ directory, format })).rejects.toMatchObject({ code: 'STORE_CORRUPT' });
  });

  test('backup copies an open environment', async () => {
    const environment = await open();
    const database = environment.database('things');
    await environment.transaction(() => database.put(key('a'), key('1')));
    await environment.backup(join(directory, 'copy'));
    expect((await open(join(directory, 'copy'))).database('things').get(key('a'))).toEqual(key('1'));
  });
});

describe('Database', () => {
  const arbitraryKey = fc.uint8Array({ minLength: 1, maxLength: 6 });

  test('range and keys equal those of a sorted array', async () => {
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

  test('a prefix selects exactly the keys that start with it', async () => {
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

  test('a key of invalid length is absent on reads and refused on writes', async () => {
    const environment = await open();
    const database = environment.database('keys');
    const longest = Buffer.alloc(limits.keyBytesMax, 1);
    await environment.transaction(() => database.put(longest, key('value')));
    expect(database.get(longest)).toEqual(key('value'));
    for (const bad of [Buffer.alloc(0), Buffer.alloc(limits.keyBytesMax + 1, 1)]) {
      expect(database.get(bad)).toBeUndefined();
      expect(database.has(bad)).toBe(false);
      await expect(environment.transaction(() => database.put(bad, key('x')))).rejects.toMatchObject({
        code: 'STORE_KEY_INVALID',
        details: { keyBytes: bad.length },
      });
    }
    expect(database.count()).toBe(1);
  });

  test('later writes and reads do not change returned values', async () => {
    const environment = await open();
    const database = environment.database('values');
    const write = (fill: number) => environment.transaction(() => database.put(key('k'), Buffer.alloc(9_000, fill)));
    await write(1);
    const first = database.get(key('k'));
    const [entry] = [...database.range()];
    await write(2);
    database.get(key('k'));
    expect(first).toEqual(Buffer.alloc(9_000, 1));
    expect(Buffer.from(entry?.value ?? '')).toEqual(Buffer.alloc(9_000, 1));
  });

  test('a range reads one snapshot during writes and throws STORE_CLOSED after close', async () => {
    const environment = await open();
    const database = environment.database('snapshot');
    await environment.transaction(() => {
      for (const name of ['a', 'b', 'c']) database.put(key(name), key('old'));
    });
    const seen: string[] = [];
    for (const { key: name, value } of database.range()) {
      seen.push(`${Buffer.from(name)}=${Buffer.from(value)}`);
      await environment.transaction(() => database.put(key('c'), key('new')));
    }
    expect(seen).toEqual(['a=old', 'b=old', 'c=old']);
    const rest = database.range();
    rest.next();
    await environment.close();
    expect(() => rest.next()).toThrow(expect.objectContaining({ code: 'STORE_CLOSED' }));
    expect(() => database.get(key('a'))).toThrow(expect.objectContaining({ code: 'STORE_CLOSED' }));
  });
});

describe('storeErrorFrom', () => {
  test.each([
    ['MDB_MAP_FULL: Environment mapsize limit reached', 'STORE_FULL'],
    ['No space left on device', 'STORE_FULL'],
    ['MDB_CORRUPTED: Located page was wrong type', 'STORE_CORRUPT'],
    ['MDB_INVALID: File is not an LMDB file', 'STORE_CORRUPT'],
    ['EACCES: permission denied', 'STORE_UNAVAILABLE'],
    ['Input/output error', 'STORE_WRITE_FAILED'],
  ])('converts %s to %s', (message, code) => {
    expect(storeErrorFrom(new Error(message), tmpdir())).toMatchObject({ code, details: { directory: tmpdir() } });
  });

  test('returns a typed error unchanged', () => {
    const error = storeErrorFrom(new Error('EACCES'), '/x');
    expect(storeErrorFrom(error, '/y')).toBe(error);
  });
});
