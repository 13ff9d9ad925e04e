// Run with `npm run bench -- dag-pb`. Compares the dag-pb codec with @ipld/dag-pb, alternately in one run.
// docs/decisions/dag-pb-codecs.md has the result.
import { cidFor } from '@cairn/cid';
import * as dagPb from '@ipld/dag-pb';
import { test } from '@jest/globals';
import { decodePbNode, encodePbNode } from './dag-pb.ts';
import { PbReader } from './pb-reader.ts';

const rounds = 11;
const roundMs = 60;

function scan(bytes: Uint8Array): number {
  const reader = new PbReader(bytes);
  let links = 0;
  while (reader.next()) links++;
  return links;
}

function cases(count: number): Readonly<Record<string, () => unknown>> {
  const cids = Array.from({ length: count }, (_, index) => cidFor(Buffer.from(`leaf ${index}`), { codec: 'raw' }));
  const data = Buffer.alloc(4 * Math.min(count, 174), 7);
  const value = dagPb.prepare({ Data: data, Links: cids.map((Hash) => ({ Hash, Name: '', Tsize: 262_158 })) });
  const node = { links: cids.map((cid) => ({ cid, name: '', tsize: 262_158 })), data };
  const bytes = encodePbNode(node);
  if (Buffer.compare(bytes, dagPb.encode(value)) !== 0) throw new Error('the codecs differ');
  return {
    'decode, @ipld/dag-pb': () => dagPb.decode(bytes),
    'decode, decodePbNode': () => decodePbNode(bytes),
    'decode and read every CID, decodePbNode': () => decodePbNode(bytes).links.map(({ cid }) => cid),
    'find links, PbReader': () => scan(bytes),
    'encode, @ipld/dag-pb': () => dagPb.encode(value),
    'encode, encodePbNode': () => encodePbNode(node),
  };
}

test.each([1, 174, 20_000])(
  'nodes of %d links',
  (count) => {
    const runs = Object.entries(cases(count));
    const perNode = new Map<string, number[]>();
    for (let round = 0; round < rounds; round++)
      for (const [name, run] of runs) {
        const start = process.cpuUsage();
        const began = performance.now();
        let done = 0;
        for (; performance.now() - began < roundMs; done++) run();
        const { user, system } = process.cpuUsage(start);
        perNode.set(name, [...(perNode.get(name) ?? []), (user + system) / done]);
      }
    process.stdout.write(`${count} links: µs of CPU per node, fastest, median, slowest round\n`);
    for (const [name, all] of perNode) {
      const sorted = all.sort((a, b) => a - b).map((time) => time.toFixed(time < 10 ? 2 : 0));
      process.stdout.write(`  ${name.padEnd(42)} ${sorted[0]}  ${sorted[rounds >> 1]}  ${sorted[rounds - 1]}\n`);
    }
  },
  600_000,
);
