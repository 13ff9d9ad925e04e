// Loads a list of 1,000,000 double hashes, as in BadBits, and one of as many CIDs, and looks up blocks. Run with `npm run bench`.
import { createHash } from 'node:crypto';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { cidFor } from '@cairn/cid';
import { test } from '@jest/globals';
import { denylistOf } from './denylist.ts';
import { readDenylist } from './read-denylist.ts';

const rules = 1_000_000;
const cidOf = (n: number) => cidFor(Buffer.from(`block ${n}`), { codec: 'raw' });
const lines = {
  hex: (n: number) =>
    `//${createHash('sha256')
      .update(`${cidOf(n)}/`)
      .digest('hex')}\n`,
  cid: (n: number) => `/ipfs/${cidOf(n)}\n`,
};

test.each(Object.entries(lines))(
  'a list of 1,000,000 rules: %s',
  async (name, lineOf) => {
    const chunks: Buffer[] = [];
    for (let n = 0; n < rules; n += 1000)
      chunks.push(Buffer.from(Array.from({ length: 1000 }, (_, at) => lineOf(n + at)).join('')));
    const bytesExpected = chunks.reduce((sum, { length }) => sum + length, 0);
    globalThis.gc?.();
    const before = process.memoryUsage();
    const delay = monitorEventLoopDelay({ resolution: 1 });
    delay.enable();
    const start = performance.now();
    const source = (async function* () {
      yield* chunks;
    })();
    const list = await readDenylist(source, { file: 'bench.deny', bytesExpected });
    const seconds = (performance.now() - start) / 1000;
    delay.disable();
    globalThis.gc?.();
    const after = process.memoryUsage();
    const mib = (after.arrayBuffers + after.heapUsed - before.arrayBuffers - before.heapUsed) / 1024 ** 2;
    const denylist = denylistOf(() => [{ file: 'bench.deny', rules: list.rules }]);
    const cids = Array.from({ length: 100_000 }, (_, n) => cidOf(n * 20));
    let hits = 0;
    const lookupStart = performance.now();
    for (const cid of cids) if (denylist.cid(cid) !== undefined) hits++;
    const micros = ((performance.now() - lookupStart) * 1000) / cids.length;
    console.log(
      `${name}: ${list.rules.size} rules (${Math.round(bytesExpected / 1024 ** 2)} MiB) in ${seconds.toFixed(2)} s, ` +
        `longest stall ${(delay.max / 1e6).toFixed(0)} ms, ${mib.toFixed(0)} MiB; ${micros.toFixed(1)} µs a lookup, ${hits} hits`,
    );
  },
  120_000,
);
