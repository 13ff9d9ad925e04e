import { type ChildProcess, fork } from 'node:child_process';
import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { Environment, type StoreFormat } from './index.ts';

// CAIRN_FAULT_TRIALS sets the number of trials, CAIRN_FAULT_SEED repeats a run. A failure names its seed.
const trials = Number(process.env.CAIRN_FAULT_TRIALS ?? 60);
const seed = Number(process.env.CAIRN_FAULT_SEED ?? 17);
const format: StoreFormat = { name: 'test', version: 1, seals: {} };
const random = randomFrom(seed);
let base: string;
let child: ChildProcess | undefined;

beforeAll(async () => {
  base = mkdtempSync(join(tmpdir(), 'cairn-faults-'));
  const environment = await Environment.open({ directory: join(base, 'store'), format });
  const databases = ['one', 'two'].map((name) => environment.database(name));
  for (let round = 0; round < 30; round++) {
    await environment.transaction(() => {
      for (let index = 0; index < 30; index++) {
        const key = Buffer.from(`key ${random(300)}`);
        for (const [size, database] of databases.entries())
          if (random(5) === 0) database.remove(key);
          else database.put(key, Buffer.alloc(20 + 150 * size, round));
      }
    });
  }
  await environment.close();
});
afterAll(() => {
  child?.kill();
  rmSync(base, { recursive: true });
});

test.each([
  ['before it is opened', false],
  ['while it is open', true],
])('after a flipped bit %s every read is correct or throws STORE_CORRUPT', async (_, isOpen) => {
  const size = statSync(join(base, 'store', 'data.mdb')).size;
  const right = await ask({ trial: 0, flips: [], isOpen });
  const counts = { right: 0, refused: 0, crashed: 0 };
  const wrong: unknown[] = [];
  for (let trial = 1; trial <= trials; trial++) {
    const flips = Array.from({ length: 1 + random(2) }, () => ({ at: random(size), bit: random(8) }));
    const answer = await ask({ trial, flips, isOpen });
    if ('crash' in answer) counts.crashed++;
    else if ('found' in answer && JSON.stringify(answer) === JSON.stringify(right)) counts.right++;
    else if ('code' in answer && answer.code === 'STORE_CORRUPT') counts.refused++;
    else wrong.push({ flips, answer: JSON.stringify(answer).slice(0, 300) });
  }
  console.log(`seed ${seed}: ${JSON.stringify(counts)} of ${trials} trials`);
  expect({ seed, wrong }).toEqual({ seed, wrong: [] });
  // Mapped pages cannot be verified before LMDB reads them. A few bits in their headers end the process.
  expect(counts.crashed).toBeLessThanOrEqual(isOpen ? Math.ceil(trials / 10) : 0);
});

type Answer = { readonly found: unknown } | { readonly code: string } | { readonly crash: unknown };

function ask(message: object): Promise<Answer> {
  child ??= fork(join(import.meta.dirname, 'faults.fixture.mjs'), { stdio: ['ignore', 'ignore', 'ignore', 'ipc'] });
  const asked = child;
  return new Promise((resolve) => {
    const onExit = (code: unknown, signal: unknown) => {
      child = undefined;
      resolve({ crash: signal ?? code });
    };
    asked.once('exit', onExit);
    asked.once('message', (answer: Answer) => {
      asked.off('exit', onExit);
      resolve(answer);
    });
    asked.send({ base, ...message });
  });
}

/** Returns a generator of pseudorandom numbers below a bound (mulberry32). */
function randomFrom(start: number): (bound: number) => number {
  let state = start;
  return (bound) => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) % bound;
  };
}
