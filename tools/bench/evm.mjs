#!/usr/bin/env node
// node evm.mjs [--no-anvil] [--runs 9] [--chain DIRECTORY]: what the engines make of one gas, on loops of the kinds that contracts have,
// beside anvil (revm, the interpreter of Rust nodes) and @ethereumjs/evm, in one run; then light calls, first calls, and the
// import of a chain (genesis.json and chain.rlp of a directory; default: the sample network).
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { tmpdir } from 'node:os';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { best } from './evm/best.mjs';
import { benchFirstCalls } from './evm/first-calls.mjs';
import { benchLightCalls } from './evm/light-calls.mjs';
import { address, callOf, compiled, workloads } from './evm/workloads.mjs';
import { compareImports } from './import.mjs';
import { ask, startAnvil } from './lib/anvil.mjs';

const { values } = parseArgs({
  options: {
    anvil: { type: 'boolean', default: true },
    runs: { type: 'string', default: '9' },
    chain: { type: 'string' },
  },
  allowNegative: true,
});

/** What each loop came to on an engine, in a process of its own. */
async function runEngine(name) {
  const child = fork(fileURLToPath(new URL('evm/run-engine.mjs', import.meta.url)), [name]);
  const failed = once(child, 'exit').then(([code]) =>
    Promise.reject(new Error(`The engine ${name} ended with ${code}.`)),
  );
  failed.catch(() => {});
  const [told] = await Promise.race([once(child, 'message'), failed]);
  return told;
}

/** The same over HTTP, without what a request takes that runs next to nothing. */
async function runAnvil() {
  const anvil = await startAnvil({ code: { [address]: compiled.code }, transactions: 0 });
  const call = (name, rounds) => ask(anvil.url, 'eth_call', [{ ...callOf(name, rounds), gas: '0x5f5e100' }, 'latest']);
  try {
    const idle = await best(30, () => call('hashes', 0));
    const told = {};
    for (const name of Object.keys(workloads)) {
      const { ms, result } = await best(Number(values.runs), () => call(name));
      told[name] = { ms: Math.max(0.01, ms - idle.ms), output: result };
    }
    return told;
  } finally {
    anvil.stop();
  }
}

const columns = {};
for (const name of ['ethereumjs', 'interpreter', 'compiled']) columns[name] = await runEngine(name);
if (values.anvil) columns.anvil = await runAnvil();
console.log(
  'Mgas/s, the best of several runs         @ethereumjs  interpreter     compiled        anvil   compiled/anvil  compiled/@ethereumjs',
);
for (const name of Object.keys(workloads)) {
  const { output, gasUsed } = columns.ethereumjs[name];
  for (const [engine, told] of Object.entries(columns))
    if (told[name].output !== output)
      throw new Error(`${name}: ${engine} comes to ${told[name].output}, not ${output}`);
  const rate = (engine) => gasUsed / columns[engine][name].ms / 1000;
  const cells = ['ethereumjs', 'interpreter', 'compiled', 'anvil'].map((engine) =>
    (columns[engine] ? rate(engine).toFixed(0) : '–').padStart(12),
  );
  const ratio = (engine) => (columns[engine] ? (rate('compiled') / rate(engine)).toFixed(2) : '–').padStart(14);
  console.log(
    `${`${name}, ${(gasUsed / 1e6).toFixed(1)} Mgas`.padEnd(38)} ${cells.join(' ')} ${ratio('anvil')} ${ratio('ethereumjs')}`,
  );
}
await benchLightCalls();
await benchFirstCalls();
await compareImports({ home: tmpdir(), ...(values.chain && { chain: values.chain }) });
