#!/usr/bin/env node
// node evm.mjs [--no-anvil] [--runs 9] [--chain DIRECTORY]: gas per second of the engines on loops of the kinds that
// contracts have, beside anvil (revm, the interpreter of Rust nodes) and @ethereumjs/evm in one run. Then measures
// light calls, first calls, and the import of a chain (genesis.json and chain.rlp of a directory; default: the sample
// network).
import { tmpdir } from 'node:os';
import { parseArgs } from 'node:util';
import { engineOverHttp, startEngine } from './evm/engines.mjs';
import { benchFirstCalls } from './evm/first-calls.mjs';
import { benchLightCalls } from './evm/light-calls.mjs';
import { address, compiled, workloads } from './evm/workloads.mjs';
import { compareImports } from './import.mjs';
import { startAnvil } from './lib/anvil.mjs';

const { values } = parseArgs({
  options: {
    anvil: { type: 'boolean', default: true },
    runs: { type: 'string', default: '9' },
    chain: { type: 'string' },
  },
  allowNegative: true,
});

/** Every engine runs each loop once per round, so that changes in the load of the machine affect all engines. */
const rounds = 3;

/** The Rust node, over HTTP. */
async function startPeer() {
  const { url, stop } = await startAnvil({ code: { [address]: compiled.code }, transactions: 0 });
  return { ...engineOverHttp(url, Number(values.runs)), stop };
}

const engines = {};
for (const name of ['ethereumjs', 'interpreter', 'compiled']) engines[name] = startEngine(name);
if (values.anvil) engines.anvil = await startPeer();
try {
  console.log(
    'Mgas/s, the best of several runs         @ethereumjs  interpreter     compiled        anvil   compiled/anvil  compiled/@ethereumjs',
  );
  for (const name of Object.keys(workloads)) {
    const best = {};
    for (let round = 0; round < rounds; round++) {
      for (const [engine, { run }] of Object.entries(engines)) {
        const { ms, ...found } = await run(name);
        best[engine] = { ...found, ms: Math.min(ms, best[engine]?.ms ?? ms) };
      }
    }
    const { output, gasUsed } = best.ethereumjs;
    for (const engine of Object.keys(engines))
      if (best[engine].output !== output)
        throw new Error(`${name}: ${engine} returns ${best[engine].output}, not ${output}`);
    const rate = (engine) => gasUsed / best[engine].ms / 1000;
    const cells = ['ethereumjs', 'interpreter', 'compiled', 'anvil'].map((engine) =>
      (best[engine] ? rate(engine).toFixed(0) : '–').padStart(12),
    );
    const ratio = (engine) => (best[engine] ? (rate('compiled') / rate(engine)).toFixed(2) : '–').padStart(14);
    console.log(
      `${`${name}, ${(gasUsed / 1e6).toFixed(1)} Mgas`.padEnd(38)} ${cells.join(' ')} ${ratio('anvil')} ${ratio('ethereumjs')}`,
    );
  }
} finally {
  for (const { stop } of Object.values(engines)) stop();
}
await benchLightCalls();
await benchFirstCalls();
await compareImports({ home: tmpdir(), ...(values.chain && { chain: values.chain }) });
