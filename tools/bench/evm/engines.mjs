import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { ask } from '../lib/anvil.mjs';
import { best } from './best.mjs';
import { callOf } from './workloads.mjs';

/** Starts an engine in its own process. `run` resolves with the duration, the output and the gas of a workload. */
export function startEngine(name) {
  const child = fork(fileURLToPath(new URL('run-engine.mjs', import.meta.url)), [name]);
  const failed = once(child, 'exit').then(([code]) => Promise.reject(new Error(`The engine ${name} ended: ${code}.`)));
  failed.catch(() => {});
  return {
    async run(workload) {
      const answer = once(child, 'message');
      child.send(workload);
      return (await Promise.race([answer, failed]))[0];
    },
    stop: () => child.disconnect(),
  };
}

/** Runs workloads in a node over HTTP that has their contract. The time of a minimal request is subtracted. */
export function engineOverHttp(url, runs) {
  const call = (name, count) => ask(url, 'eth_call', [{ ...callOf(name, count), gas: '0x5f5e100' }, 'latest']);
  return {
    async run(workload) {
      const idle = await best(10, () => call('hashes', 0));
      const { ms, result } = await best(runs, () => call(workload));
      return { ms: Math.max(0.01, ms - idle.ms), output: result };
    },
  };
}
