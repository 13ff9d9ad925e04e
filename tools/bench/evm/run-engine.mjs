// Process with one engine, as in a service. It receives the name of a loop and returns its result and duration.
import { createEngine, executeCall, parseCallRequest } from '@cairn/evm-executor';
import { best } from './best.mjs';
import { callOf, place } from './workloads.mjs';

/** Minimum duration, because V8 optimizes code over its first runs. */
const runMs = 500;

const engine = createEngine(process.argv[2]);
process.on('message', async (name) => {
  const call = parseCallRequest(callOf(name));
  const { ms, result } = await best(2, () => executeCall({ ...place, call, engine }), runMs);
  if (result.kind !== 'success') throw new Error(`${name}: ${result.reason ?? result.message}`);
  process.send({ ms, output: result.output, gasUsed: Number(result.gasUsed) });
});
