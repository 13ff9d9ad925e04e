// A process with one engine, as a service has: tells its parent what each loop came to, and how long that took.
import { createEngine, executeCall, parseCallRequest } from '@cairn/evm-executor';
import { best } from './best.mjs';
import { callOf, place, workloads } from './workloads.mjs';

/** At least so often, and so long. */
const runs = 3;
const runMs = 1_000;

const engine = createEngine(process.argv[2]);
const told = {};
for (const name of Object.keys(workloads)) {
  const call = parseCallRequest(callOf(name));
  const { ms, result } = await best(runs, () => executeCall({ ...place, call, engine }), runMs);
  if (result.kind !== 'success') throw new Error(`${name}: ${result.reason ?? result.message}`);
  told[name] = { ms, output: result.output, gasUsed: Number(result.gasUsed) };
}
process.send(told);
process.disconnect();
