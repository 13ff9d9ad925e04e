// Run with `npm run bench`. Measures the store and a bare file, written and synced as by `dd conv=fdatasync`, alternately.
import { closeSync, fdatasyncSync, mkdtempSync, openSync, rmSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from '@jest/globals';
import { type Block, openLmdbBlockstore, withVerification } from './index.ts';
import { rawBlock } from './testing/index.ts';

const MiB = 1024 * 1024;
const blockBytes = 256 * 1024;
const rounds = 3;

test('LMDB block store', async () => {
  const blocks = Array.from({ length: 1024 }, (_, n) => rawBlock(Buffer.alloc(blockBytes, `block ${n}`)));
  const small = Array.from({ length: 8192 }, (_, n) => rawBlock(`small ${n}`.padEnd(200, '.')));
  const results = new Map<string, number[]>();
  const measure = async (name: string, amount: number, run: () => unknown) => {
    const start = performance.now();
    await run();
    const rate = amount / ((performance.now() - start) / 1000);
    results.set(name, [...(results.get(name) ?? []), rate]);
  };
  for (let round = 0; round < rounds; round++) {
    const directory = mkdtempSync(join(tmpdir(), 'cairn-bench-'));
    const store = await openLmdbBlockstore({ directory });
    const verified = withVerification(store);
    const put = async (list: readonly Block[], each: number) => {
      for (let at = 0; at < list.length; at += each) await store.putMany(list.slice(at, at + each));
      await store.sync();
    };
    const read = async (from: Pick<typeof store, 'get'>) => {
      for (const { cid } of blocks) await from.get(cid);
    };
    const total = (blocks.length * blockBytes) / MiB;
    await measure('bare file, written and synced, MiB/s', total, () => writeFile(join(directory, 'bare'), blocks));
    await measure('256 KiB blocks written durably, MiB/s', total, () => put(blocks, 8));
    await measure('256 KiB blocks read, MiB/s', total, () => read(store));
    await measure('256 KiB blocks read and verified, MiB/s', total, () => read(verified));
    await measure('has, per second', blocks.length, async () => {
      for (const { cid } of blocks) await store.has(cid);
    });
    await measure('the same blocks again, MiB/s', total, () => put(blocks, 8));
    await measure('200-byte blocks, 64 a call, per second', small.length, () => put(small, 64));
    await measure('durable calls of 32 callers, per second', 3200, () =>
      Promise.all(
        Array.from({ length: 32 }, async (_, caller) => {
          for (let n = 0; n < 100; n++) {
            await store.putMany([rawBlock(`caller ${caller} ${n} of ${round}`)]);
            await store.sync();
          }
        }),
      ),
    );
    await store.close();
    rmSync(directory, { recursive: true });
  }
  for (const [name, rates] of results) {
    const sorted = rates.sort((a, b) => a - b).map((rate) => Math.round(rate).toLocaleString('en'));
    process.stdout.write(`${name.padEnd(44)} ${sorted.join('  ')}\n`);
  }
}, 600_000);

function writeFile(path: string, blocks: readonly Block[]): void {
  const file = openSync(path, 'w');
  for (const { bytes } of blocks) writeSync(file, bytes);
  fdatasyncSync(file);
  closeSync(file);
}
