import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { HomeProcess } from './home-process.ts';

// CAIRN_FAULT_TRIALS sets the number of trials, CAIRN_FAULT_SEED repeats a run. Each run prints its seed.
const trials = Number(process.env.CAIRN_FAULT_TRIALS ?? 25);
const seed = Number(process.env.CAIRN_FAULT_SEED ?? 17);
const random = randomFrom(seed);
/** Codes of damage; blocks are verified by their hash. */
const damageCodes = ['STORE_CORRUPT', 'BLOCK_CORRUPT'];
const reader = new HomeProcess();
const base = mkdtempSync(join(tmpdir(), 'cairn-faults-'));
const home = join(base, 'home');
let right: string;

beforeAll(async () => {
  await reader.build(home);
  right = await reader.read(home);
});
afterAll(() => {
  reader.stop();
  rmSync(base, { recursive: true });
});

for (const store of ['accounts', 'pins', 'files', 'blocks']) {
  test.each([
    ['before it is opened', false],
    ['while it is open', true],
  ])(
    `${store}: after a flipped bit %s every read is right or an error that names the store`,
    async (when, isOpen) => {
      const size = statSync(join(home, store, 'data.mdb')).size;
      const counts = { right: 0, refused: 0, crashed: 0 };
      const wrong: unknown[] = [];
      for (let trial = 0; trial < trials; trial++) {
        const flips = Array.from({ length: 1 + random(2) }, () => ({ at: random(size), bit: random(8) }));
        const answer = await reader.ask({ action: 'trial', home, trial, store, flips, isOpen });
        if ('crash' in answer) counts.crashed++;
        else if ('found' in answer && answer.found === right) counts.right++;
        else if ('code' in answer && damageCodes.includes(answer.code)) counts.refused++;
        else wrong.push({ flips, answer: JSON.stringify(answer).slice(0, 300) });
      }
      console.log(`seed ${seed}, ${store} ${when}: ${JSON.stringify(counts)} of ${trials} trials`);
      expect({ seed, wrong }).toEqual({ seed, wrong: [] });
      // Mapped pages cannot be verified before LMDB reads them; a few bits of their headers end the process.
      expect(counts.crashed).toBeLessThanOrEqual(isOpen ? Math.ceil(trials / 8) : 0);
    },
    600_000,
  );
}

/** Numbers below a bound, repeatable by seed (mulberry32). */
function randomFrom(start: number): (bound: number) => number {
  let state = start;
  return (bound) => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) % bound;
  };
}
