// Run with `npm run bench`. Compares the link scanners with decoders of whole blocks, alternately in one run.
import { runSync } from '@cairn/blockstore';
import { cidFor } from '@cairn/cid';
import * as dagCbor from '@ipld/dag-cbor';
import * as dagJson from '@ipld/dag-json';
import * as dagPb from '@ipld/dag-pb';
import { test } from '@jest/globals';
import { cborLinkSteps } from './cbor-links.ts';
import { jsonLinkSteps } from './json-links.ts';
import { pbLinkSteps } from './links.ts';

const rounds = 9;
const links = Array.from({ length: 174 }, (_, index) => cidFor(Buffer.from(`leaf ${index}`), { codec: 'raw' }));
const value = { links, text: 'x'.repeat(1000), numbers: Array.from({ length: 2000 }, (_, index) => index) };
const json = dagJson.encode(value);
const cbor = dagCbor.encode(value);
const pb = dagPb.encode(
  dagPb.prepare({ Data: Buffer.alloc(700), Links: links.map((Hash) => ({ Hash, Name: '', Tsize: 262_158 })) }),
);

const cases: Readonly<Record<string, () => unknown>> = {
  'dag-pb: decode': () => dagPb.decode(pb),
  'dag-pb: scan': () => runSync(pbLinkSteps(pb)),
  'dag-cbor: decode': () => dagCbor.decode(cbor),
  'dag-cbor: scan': () => runSync(cborLinkSteps(cbor)),
  'dag-json: decode': () => dagJson.decode(json),
  'dag-json: scan': () => runSync(jsonLinkSteps(json)),
};

test('links of one block', () => {
  const rates = new Map<string, number[]>();
  for (let round = 0; round < rounds; round++)
    for (const [name, run] of Object.entries(cases)) {
      const start = performance.now();
      let count = 0;
      for (; performance.now() - start < 100; count++) run();
      rates.set(name, [...(rates.get(name) ?? []), count / ((performance.now() - start) / 1000)]);
    }
  process.stdout.write('blocks of 174 links per second: slowest, median, fastest round\n');
  for (const [name, all] of rates) {
    const sorted = all.sort((a, b) => a - b).map((rate) => Math.round(rate).toLocaleString('en'));
    process.stdout.write(`${name.padEnd(20)} ${sorted[0]}  ${sorted[rounds >> 1]}  ${sorted[rounds - 1]}\n`);
  }
}, 600_000);
