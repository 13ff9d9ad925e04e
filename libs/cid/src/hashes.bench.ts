// Compares `cidFor`, `verifyBytes` and tags of remembered blocks with the bare hash functions, alternating in one run. Run with `npm run bench`.
import { createHash } from 'node:crypto';
import { test } from '@jest/globals';
import { cidFor, digest, verifyBytes } from './index.ts';
import { createTagger } from './native-hashes-node.ts';

const MiB = 1024 * 1024;
const rounds = 3;

test('digest and verify', () => {
  const block = Buffer.alloc(256 * 1024, 7);
  const cid = cidFor(block, { codec: 'raw' });
  const tagOf = createTagger?.();
  const work: Record<string, () => unknown> = {
    'bare sha256': () => createHash('sha256').update(block).digest(),
    'digest sha2-256': () => digest('sha2-256', block),
    'cidFor sha2-256': () => cidFor(block, { codec: 'raw' }),
    'verifyBytes sha2-256': () => verifyBytes(cid, block),
    'tag of a remembered block': () => tagOf?.(cid.multihash.bytes, block),
    'digest blake2b-512 (native)': () => digest('blake2b-512', block),
    'digest blake2b-256': () => digest('blake2b-256', block),
    'digest blake3': () => digest('blake3', block),
    'digest keccak-256': () => digest('keccak-256', block),
  };
  const rates = new Map<string, number[]>();
  for (let round = 0; round <= rounds; round++) {
    for (const [name, run] of Object.entries(work)) {
      const start = performance.now();
      let bytes = 0;
      for (; performance.now() - start < 200; bytes += block.length) run();
      // The first round warms up and is not counted.
      if (round > 0) rates.set(name, [...(rates.get(name) ?? []), bytes / MiB / ((performance.now() - start) / 1000)]);
    }
  }
  for (const [name, list] of rates) {
    const sorted = list.sort((a, b) => a - b).map((rate) => Math.round(rate).toLocaleString('en'));
    process.stdout.write(`${name.padEnd(30)} ${sorted.join('  ')} MiB/s\n`);
  }
}, 60_000);
