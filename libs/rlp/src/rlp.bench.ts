// Run with `npm run bench`: a block-sized value through this package and through @ethereumjs/rlp, in turns in one run.
import { RLP } from '@ethereumjs/rlp';
import { test } from '@jest/globals';
import { decodeRlp, encodeRlp, type RlpItem } from './index.ts';

const roundMs = 400;
const rounds = 5;

/** Prints operations per second of each: the slowest and the fastest round. The first round warms up. */
function measure(operations: Readonly<Record<string, () => unknown>>): void {
  const rates = new Map<string, number[]>();
  for (let round = 0; round <= rounds; round++) {
    for (const [name, run] of Object.entries(operations)) {
      let count = 0;
      const start = performance.now();
      while (performance.now() - start < roundMs) {
        run();
        count++;
      }
      if (round > 0) rates.set(name, [...(rates.get(name) ?? []), (count * 1_000) / (performance.now() - start)]);
    }
  }
  for (const [name, list] of rates) {
    const shown = [Math.min(...list), Math.max(...list)].map((rate) => rate.toFixed(0));
    process.stdout.write(`${name.padEnd(32)} ${shown.join(' to ')} per second\n`);
  }
}

test('a list of 200 lists, as the transactions of a block', () => {
  const lengths = [3, 9, 9, 3, 20, 0, 68, 1, 32, 32];
  const item: RlpItem = Array.from({ length: 200 }, (_, index) =>
    lengths.map((length) => new Uint8Array(length).fill(index + 1)),
  );
  const encoded = encodeRlp(item);
  process.stdout.write(`${encoded.length} bytes\n`);
  measure({
    decode: () => decodeRlp('value', encoded),
    'decode, @ethereumjs/rlp': () => RLP.decode(encoded),
    encode: () => encodeRlp(item),
    'encode, @ethereumjs/rlp': () => RLP.encode(item),
  });
}, 120_000);
