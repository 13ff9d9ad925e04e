import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { engineProgram, howToEnableEngine } from '../../../tools/engines/index.mjs';
import { type Engines, startEngines } from './engines.ts';
import { Checks } from './faults/checks.ts';
import { faultsOf } from './faults/faults.ts';
import { LimitedLoad } from './faults/limited-load.ts';
import { Load } from './faults/load.ts';
import { Random } from './reference-model.ts';
import { Service } from './service.ts';

// TEST_FAULT_ROUNDS=100 runs that many rounds of random faults, in 20 to 35 minutes; without it the test is skipped.
// TEST_FAULT_SEED repeats the choices of a run, and TEST_FAULT_ONLY selects faults whose name contains a text.
const { TEST_FAULT_ROUNDS = '0', TEST_FAULT_SEED, TEST_FAULT_ONLY = '' } = process.env;
const rounds = Number(TEST_FAULT_ROUNDS);
const seed = Number(TEST_FAULT_SEED ?? Date.now() % 1_000_000);
const random = new Random(seed);
/** Blocks have no grace period, and collections run continuously. */
const settings = { STORAGE_GC_GRACE_SECONDS: '0', STORAGE_GC_INTERVAL_SECONDS: '1', STORAGE_BLOCK_WAIT_SECONDS: '0' };
const missing = (['postgres', 'redis', 's3'] as const).filter((name) => engineProgram(name) === undefined);
if (rounds > 0) for (const name of missing) console.log(howToEnableEngine(name));
const isSkipped = rounds === 0 || missing.length > 0;

let engines: Engines | undefined;
let service: Service | undefined;
let limited: LimitedLoad | undefined;
beforeAll(async () => {
  if (isSkipped) return;
  engines = await startEngines({ isCuttable: true });
  service = new Service({ engines });
  await service.makeAccounts();
  limited = new LimitedLoad(service);
  await limited.prepare();
  await service.start(settings);
});
afterAll(async () => {
  await service?.remove();
  await engines?.stop();
});

const testWithEngines = isSkipped ? test.skip : test;

testWithEngines(
  `three processes keep their promises over ${rounds} faults (seed ${seed})`,
  async () => {
    if (!service || !engines || !limited) throw new Error('the service does not run');
    const load = new Load({ service, random });
    const checks = new Checks({ service, load });
    const all = faultsOf({ service, engines, random, settings }).filter(({ name }) => name.includes(TEST_FAULT_ONLY));
    let queue: (typeof all)[number][] = [];
    for (let round = 1; round <= rounds; round++) {
      // Each fault occurs before one occurs again.
      if (queue.length === 0) queue = [...all];
      const fault = random.pick(queue);
      queue = queue.filter((other) => other !== fault);
      const at = `round ${round}, ${fault.name}, seed ${seed}`;
      try {
        load.start();
        limited.start();
        await load.progress(20);
        if (fault.endsProcess) checks.processKilled();
        await fault.begin();
        await new Promise((resolve) => setTimeout(resolve, 200 + random.below(1500)));
        await fault.end();
        await load.progress(20);
        await Promise.all([load.stop(), limited.stop()]);
        limited.check();
        expect(service.processes.filter(({ isRunning }) => !isRunning)).toEqual([]);
        await checks.pins();
        await checks.blocks();
        await checks.usage();
        // Jest prints its own lines at the end only.
        process.stderr.write(`${at}: ${load.acknowledged} acknowledged, ${limited.admitted} within limits\n`);
      } catch (error) {
        const failures = JSON.stringify([...load.failures]);
        throw new Error(`${at}: ${error instanceof Error ? error.message : String(error)}; failures: ${failures}`, {
          cause: error,
        });
      }
    }
    expect(limited.refused).toBeGreaterThan(0);
    if (rounds > 10)
      console.log(
        `${rounds} rounds: ${load.acknowledged} acknowledged, ${checks.verified} contents verified, ${limited.admitted} requests within limits and ${limited.refused} refused; ${JSON.stringify([...load.failures], null, 1)}`,
      );
  },
  60_000 + rounds * 60_000,
);
