// Compares PbReader with the decoder of @ipld/dag-pb on a directory of 4,000 entries. Run with `npm run bench`.
import { cidFor } from '@cairn/cid';
import { decode } from '@ipld/dag-pb';
import { test } from '@jest/globals';
import { decodePbNode, encodePbNode } from './dag-pb.ts';
import { PbReader } from './pb-reader.ts';

const links = 4000;
const rounds = 5;
const roundMs = 200;

test('decode a wide node', () => {
  const cid = cidFor(new Uint8Array(4), { codec: 'raw' });
  const bytes = encodePbNode({
    links: Array.from({ length: links }, (_, index) => ({ cid, name: `file-${index}`, tsize: index })),
    data: new Uint8Array([8, 1]),
  });
  const work: Record<string, () => unknown> = {
    '@ipld/dag-pb decode': () => decode(bytes),
    decodePbNode: () => decodePbNode(bytes),
    'PbReader without objects': () => {
      const reader = new PbReader(bytes);
      while (reader.next());
    },
  };
  const rates = new Map<string, number[]>();
  for (let round = 0; round <= rounds; round++) {
    for (const [name, run] of Object.entries(work)) {
      const start = performance.now();
      let count = 0;
      for (; performance.now() - start < roundMs; count += links) run();
      // The first round warms up and is not counted.
      if (round > 0) rates.set(name, [...(rates.get(name) ?? []), count / (performance.now() - start)]);
    }
  }
  for (const [name, list] of rates) {
    const shown = [Math.min(...list), Math.max(...list)].map((rate) => Math.round(rate).toLocaleString('en'));
    process.stdout.write(`${name.padEnd(28)} ${shown.join(' to ')} links per ms\n`);
  }
}, 60_000);
