import {
  existsSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { backupEnvironment, Environment, storeStates } from './index.ts';

const format = { name: 'test', version: 1 };
const key = (text: string | number) => Buffer.from(String(text));
let directory: string;
let file: string;
let opened: Environment[];

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'cairn-data-file-'));
  file = join(directory, 'data.mdb');
  opened = [];
});
afterEach(async () => {
  for (const environment of opened) await environment.close();
  rmSync(directory, { recursive: true });
});

async function open(options = {}) {
  const environment = await Environment.open({ directory, format, ...options });
  opened.push(environment);
  return environment;
}

/** Writes a store of some 40 pages and closes it. Returns the length of its file. */
async function fill(): Promise<number> {
  const environment = await open();
  const database = environment.database('things');
  for (let round = 0; round < 4; round++)
    await environment.transaction(() => {
      for (let entry = 0; entry < 20; entry++) database.put(key(`${round}/${entry}`), Buffer.alloc(2_000, entry));
    });
  await environment.close();
  return statSync(file).size;
}

describe('the data file of a closed store', () => {
  test('is refused at every truncated length, with file, lengths and repair', async () => {
    const bytesWhole = await fill();
    const whole = readFileSync(file);
    for (let bytes = bytesWhole - 1; bytes > 200; bytes -= 4_095) {
      writeFileSync(file, whole.subarray(0, bytes));
      const refused = { code: 'STORE_CORRUPT', details: { directory, file, bytes, bytesExpected: expect.any(Number) } };
      await expect(open()).rejects.toMatchObject({ ...refused, hint: expect.stringContaining('cairn restore') });
      await expect(open({ readOnly: true })).rejects.toMatchObject(refused);
      await expect(backupEnvironment({ from: directory, to: `${directory}/copy` })).rejects.toMatchObject(refused);
    }
    writeFileSync(file, whole);
    expect((await open()).database('things').count()).toBe(80);
  });

  test.each(['is empty', 'is missing'])('that %s is not replaced by an empty store', async (state) => {
    await fill();
    if (state === 'is empty') truncateSync(file);
    else rmSync(file);
    await expect(open()).rejects.toMatchObject({ code: 'STORE_CORRUPT', message: expect.stringContaining(state) });
    expect(existsSync(file) ? statSync(file).size : 0).toBe(0);
  });

  test('that the first start left empty is initialized', async () => {
    writeFileSync(file, '');
    expect((await open()).database('things').count()).toBe(0);
  });

  test('opens when it ends before pages that one transaction used and freed', async () => {
    const environment = await open();
    const database = environment.database('things');
    // These batches free pages, so that the next one stores its free pages in an existing list.
    for (let round = 0; round < 6; round++) await environment.batch(() => database.put(key('small'), key(round)));
    await environment.batch(() => {
      database.put(key('large'), Buffer.alloc(1_000_000));
      database.remove(key('large'));
    });
    await environment.close();
    expect(statSync(file).size).toBeLessThan(usedBytes());
    expect((await open()).database('things').get(key('small'))).toEqual(key(5));
  });

  test('opens after random batches', async () => {
    const change = fc.record({ name: fc.nat(12), length: fc.constantFrom(0, 0, 10, 3_000, 9_000, 70_000) });
    const rounds = fc.array(fc.array(change, { minLength: 1, maxLength: 12 }), { minLength: 1, maxLength: 12 });
    await fc.assert(
      fc.asyncProperty(rounds, async (transactions) => {
        const environment = await open();
        const database = environment.database('things');
        for (const changes of transactions)
          await environment.batch(() => {
            for (const { name, length } of changes) {
              if (length === 0) database.remove(key(name));
              else database.put(key(name), Buffer.alloc(length, name));
            }
          });
        await environment.close();
        await (await open()).close();
      }),
      { numRuns: 100 },
    );
  });
});

describe('the data file of an open store', () => {
  test.each([
    ['is truncated', () => truncateSync(file, 8_192)],
    ['is truncated by one page', () => truncateSync(file, statSync(file).size - 4_096)],
    ['is emptied', () => truncateSync(file)],
    ['is removed', () => rmSync(file)],
    [
      'is replaced',
      () => {
        writeFileSync(`${file}.other`, readFileSync(file));
        renameSync(`${file}.other`, file);
      },
    ],
  ])('that %s makes every use fail before a page is read', async (_, harm) => {
    await fill();
    const environment = await open();
    const database = environment.database('things');
    const range = database.range()[Symbol.iterator]();
    range.next();
    expect(problemOf(directory)).toBeUndefined();
    harm();
    const bytes = existsSync(file) ? statSync(file).size : undefined;
    expect(problemOf(directory)).toContain(file);
    expect(() => database.get(key('0/0'))).toThrow(file);
    expect(() => database.last({})).toThrow(file);
    expect(() => database.count()).toThrow(file);
    expect(() => range.next()).toThrow(file);
    expect(() => environment.refresh()).toThrow(file);
    const write = () => environment.transaction(() => database.put(key('new'), key('1')));
    await expect(write()).rejects.toMatchObject({ code: 'STORE_CORRUPT' });
    await expect(environment.backup(`${directory}/copy`)).rejects.toMatchObject({ code: 'STORE_CORRUPT' });
    await environment.close();
    expect(existsSync(file) ? statSync(file).size : undefined).toBe(bytes);
  });

  test('may be extended by another process', async () => {
    const environment = await open();
    truncateSync(file, statSync(file).size + 409_600);
    expect(problemOf(directory)).toBeUndefined();
    expect(environment.database('things').count()).toBe(0);
  });
});

function problemOf(path: string): string | undefined {
  const store = storeStates(tmpdir()).find(({ name }) => join(tmpdir(), name) === path);
  if (store === undefined) throw new Error(`${path} is not open`);
  return store.problem;
}

/** Returns the length up to the last used page of the newer meta page. */
function usedBytes(): number {
  const bytes = readFileSync(file);
  const newer = bytes.readBigUInt64LE(4_096 + 152) > bytes.readBigUInt64LE(152) ? 4_096 : 0;
  return (Number(bytes.readBigUInt64LE(newer + 144)) + 1) * 4_096;
}
