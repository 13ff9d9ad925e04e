import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { createRandom } from '../../differential/random.mjs';
import { hurtful } from '../hurtful.mjs';
import { threadTime } from '../process-stat.mjs';
import { replayLine, reportOf } from '../report.mjs';
import { search, worstOf } from '../search.mjs';
import { startSession } from '../session.mjs';
import { besiege } from '../siege.mjs';

/** Time of the search in each service, half of it with a seed that is the same in every run. */
const searchMs = 30_000;
const fixedSeed = 17;
const seed = Number(process.env.WORST_SEED ?? Math.floor(Math.random() * 2 ** 31));

/** Requests of the fixed list that each half begins with. */
const fixedCount = 2;

/** Loops of the calibration that a request may block the event loop for: about two seconds, on a slow machine more. */
const blockLoopsMax = 20;

const storage = await startSession('storage');
after(() => storage.stop());
const gateway = await startSession('gateway');
after(() => gateway.stop());
const sessions = { storage, gateway };

/** Processor time of a fixed loop, about 100 ms. */
function calibrate() {
  const before = threadTime('/proc/thread-self').runMs;
  const text = JSON.stringify(Array.from({ length: 20_000 }, (_, n) => ({ n, name: `name ${n}` })));
  for (let round = 0; round < 8; round++) JSON.parse(text);
  return threadTime('/proc/thread-self').runMs - before;
}

for (const [name, session] of Object.entries(sessions)) {
  test(`no request that the search finds makes the ${name} fail, end, or leave others waiting (seeds ${fixedSeed}, ${seed})`, async () => {
    const measured = [];
    for (const each of [fixedSeed, seed]) {
      const end = Date.now() + searchMs / 2;
      const random = createRandom(each);
      const fixed = Array.from({ length: fixedCount }, () => random.pick(hurtful[name]));
      measured.push(...(await search({ ...session, random, end, fixed })));
    }
    const worst = worstOf(measured).slice(0, 10);
    console.log(`${name}: ${measured.length} requests, WORST_SEED=${seed}\n${reportOf(worst)}`);
    const loop = Math.min(calibrate(), calibrate(), calibrate());
    for (const entry of measured) {
      const { errors, probes, isCrashed, blockMs } = entry;
      assert.deepEqual(
        { errors, failed: probes.failed, isCrashed },
        { errors: [], failed: 0, isCrashed: false },
        replayLine(entry),
      );
      assert.ok(blockMs < loop * blockLoopsMax, `blocks for ${Math.round(blockMs / loop)} loops: ${replayLine(entry)}`);
    }
  });
}

test('another account is answered while one repeats the most expensive requests from eight connections', async () => {
  const attacks = Object.entries(hurtful).flatMap(([service, list]) => list.map((found) => ({ service, ...found })));
  const random = createRandom(seed);
  const chosen = Array.from({ length: 6 }, () => random.pick(attacks));
  for (const attack of chosen) {
    const { add, block } = await besiege({ sessions, attack, seconds: 5 });
    assert.deepEqual([...add.failures, ...block.failures], [], replayLine(attack));
    assert.ok(add.latencies.length > 0 && block.latencies.length > 0, replayLine(attack));
  }
});
