// A process with one engine, as a service has: told the name of a loop, it tells what that came to, and how long it took.
import { createEngine, executeCall, parseCallRequest } from '@cairn/evm-executor';
import { best } from './best.mjs';
import { callOf, place } from './workloads.mjs';

/** At least so long: what runs in V8 is still becoming faster. */
const runMs = 500;

const engine = createEngine(process.argv[2]);
process.on('message', async (name) => {
  const call = parseCallRequest(callOf(name));
  const { ms, result } = await best(2, () => executeCall({ ...place, call, engine }), runMs);
  if (result.kind !== 'success') throw new Error(`${name}: ${result.reason ?? result.message}`);
  process.send({ ms, output: result.output, gasUsed: Number(result.gasUsed) });
});
