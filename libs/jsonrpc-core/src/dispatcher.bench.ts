// Run with `npm run bench`. Measures bodies per second through the dispatcher and through JSON.parse alone, alternating in one run.
// The ratio is the cost of limits, parameter parsing and answers.
import { test } from '@jest/globals';
import { Dispatcher, defineMethod } from './index.ts';

const roundMs = 400;
const rounds = 5;

const anything = { name: 'value', summary: 'anything.', parse: (_field: string, value: unknown) => value };
const echo = defineMethod<undefined>()({
  name: 'echo',
  summary: 'Returns its parameter.',
  params: [anything],
  result: 'The parameter.',
  handle: ([value]) => value,
});
const dispatcher = new Dispatcher<undefined>({ methods: [echo] });

const request = (id: string, value: string) => `{"jsonrpc":"2.0","id":${id},"method":"echo","params":["${value}"]}`;
const batch = (id: string) => `[${Array.from({ length: 100 }, () => request(id, '0x00')).join(',')}]`;
const bodies = {
  'one small request': request('1', '0x00'),
  'one request of 1 MiB': request('1', '0'.repeat(1024 * 1024)),
  'a batch of 100': batch('1'),
  'a batch of 100 with ids beyond 2^53': batch('9007199254740993'),
};

test('bench', async () => {
  const rates = new Map<string, number[]>();
  for (let round = 0; round <= rounds; round++) {
    for (const [name, body] of Object.entries(bodies)) {
      const bytes = Buffer.from(body);
      const runs = {
        [`${name}: JSON.parse`]: () => JSON.parse(bytes.toString()),
        [`${name}: dispatcher`]: () => dispatcher.handle(bytes, undefined),
      };
      for (const [label, run] of Object.entries(runs)) {
        let count = 0;
        const start = performance.now();
        while (performance.now() - start < roundMs) {
          await run();
          count++;
        }
        if (round > 0) rates.set(label, [...(rates.get(label) ?? []), (count * 1000) / (performance.now() - start)]);
      }
    }
  }
  for (const [label, list] of rates) {
    const shown = [Math.min(...list), Math.max(...list)].map((rate) => rate.toFixed(0));
    process.stdout.write(`${label.padEnd(52)} ${shown.join(' to ')} bodies per second\n`);
  }
}, 120_000);
