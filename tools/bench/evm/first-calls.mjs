import { createMemoryState } from '@cairn/block-model/testing';
import { createEngine, executeCall } from '@cairn/evm-executor';
import { report } from '../lib/load.mjs';
import { callOf, compiled, place } from './workloads.mjs';

const codeBytes = 24_576;
const rounds = 20;
const address = `0x${'c1'.repeat(20)}`;

/** Returns code of the maximum length that begins with `code`. Each call returns distinct code. */
function longCode(code, filler, round) {
  const bytes = Buffer.alloc(codeBytes, filler);
  bytes.set(Buffer.from(code.slice(2), 'hex'));
  bytes.writeUInt32BE(round + 1, codeBytes - 4);
  return `0x${bytes.toString('hex')}`;
}

/**
 * Measures the first call of a 24 KiB contract that is in no cache: a short call, and a call long enough to be worth
 * compilation.
 */
export async function benchFirstCalls() {
  const engine = createEngine('compiled');
  const { code } = compiled;
  const again = Buffer.from(code.slice(2), 'hex');
  const cases = [
    ['a short call', longCode.bind(undefined, code, again), callOf('quotes', 10)],
    ['a short call, all JUMPDEST behind it', longCode.bind(undefined, code, 0x5b), callOf('quotes', 10)],
    ['a call of 14 Mgas', longCode.bind(undefined, code, again), callOf('quotes', 20_000)],
    ['a call of 14 Mgas, all JUMPDEST behind it', longCode.bind(undefined, code, 0x5b), callOf('quotes', 20_000)],
  ];
  for (const [name, codeOf, { data }] of cases) {
    const times = [];
    for (let round = 0; round < rounds; round++) {
      const state = createMemoryState({ [address]: { code: codeOf(round), balance: 0n } });
      const call = { to: address, data };
      const start = performance.now();
      const { kind } = await executeCall({ ...place, state, call, engine });
      times.push(performance.now() - start);
      if (kind !== 'success') throw new Error(`${name}: ${kind}`);
    }
    times.sort((one, other) => one - other);
    const [median, worst] = [times[rounds / 2], times.at(-1)];
    report(`first call of 24 KiB: ${name}, median`, median, 'ms');
    report(`first call of 24 KiB: ${name}, worst`, worst, 'ms');
  }
}
