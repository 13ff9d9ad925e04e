// Prints each rate next to that of the bare hash function, measured in the same run. Run with `npm run bench`.
import { createHash } from 'node:crypto';
import { createMemoryBlockstore } from '@cairn/blockstore';
import { test } from '@jest/globals';
import { catFile, type ImportOptions, importFile } from './index.ts';

const MiB = 1024 * 1024;
const totalBytes = 256 * MiB;
const rounds = 3;
const pieceBytes = 64 * 1024;

async function* content() {
  const piece = Buffer.alloc(pieceBytes);
  for (let at = 0; at < pieceBytes; at++) piece[at] = (at * 31) ^ (at >> 8);
  for (let sent = 0; sent < totalBytes; sent += pieceBytes) {
    const bytes = Buffer.from(piece);
    bytes.writeUInt32LE(sent / pieceBytes);
    yield bytes;
  }
}

/** Formats rates in MiB/s, slowest first. */
async function rates(run: () => unknown): Promise<string> {
  const measured: number[] = [];
  for (let round = 0; round < rounds; round++) {
    const start = performance.now();
    await run();
    measured.push(totalBytes / MiB / ((performance.now() - start) / 1000));
  }
  return measured
    .sort((a, b) => a - b)
    .map((rate) => rate.toFixed(0))
    .join(' – ');
}

const nowhere = { putMany: async () => {} };
const variants: readonly ImportOptions[] = [
  {},
  { cidVersion: 1 },
  { layout: 'trickle' },
  { chunker: 'buzhash' },
  { chunker: 'rabin' },
];

test('import and cat', async () => {
  const leaf = Buffer.alloc(256 * 1024);
  const hashAll = () => {
    for (let at = 0; at < totalBytes; at += leaf.length) createHash('sha256').update(leaf).digest();
  };
  console.log(`sha2-256 of 256 KiB chunks alone: ${await rates(hashAll)} MiB/s`);
  for (const options of variants) {
    const rate = await rates(() => importFile(content(), nowhere, options));
    console.log(`importFile ${JSON.stringify(options)}: ${rate} MiB/s`);
  }
  const store = createMemoryBlockstore();
  const { cid } = await importFile(content(), store);
  const catAll = async () => {
    for await (const _ of catFile(store, cid));
  };
  console.log(`catFile from memory, not verified: ${await rates(catAll)} MiB/s`);
}, 300_000);
