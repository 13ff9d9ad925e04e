import { execFileSync, spawn } from 'node:child_process';
import { createHash, randomBytes } from 'node:crypto';
import { closeSync, constants, fdatasyncSync, openSync, rmSync, writeSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { load } from './load.mjs';

const MiB = 1024 * 1024;

/** SHA-256 of 256 KiB pieces on one core, in MiB/s. */
export function hashRate() {
  const piece = Buffer.alloc(256 * 1024, 7);
  const start = performance.now();
  for (let n = 0; n < 2048; n++) createHash('sha256').update(piece).digest();
  return 512 / ((performance.now() - start) / 1000);
}

/** Sequential writes followed by fdatasync, as `dd conv=fdatasync` does them, in MiB/s. */
export function diskRate(directory, mebibytes) {
  const file = `${directory}/disk-rate`;
  const piece = Buffer.alloc(MiB, 7);
  const start = performance.now();
  const descriptor = openSync(file, 'w');
  for (let n = 0; n < mebibytes; n++) writeSync(descriptor, piece);
  fdatasyncSync(descriptor);
  closeSync(descriptor);
  const rate = mebibytes / ((performance.now() - start) / 1000);
  rmSync(file);
  return rate;
}

/** Sequential writes of 4 MiB, each of which waits for the disk (O_DSYNC), as `dd bs=4M oflag=dsync` does them, in MiB/s. */
export function syncedWriteRate(directory, mebibytes) {
  const file = `${directory}/synced-rate`;
  const piece = randomBytes(4 * MiB);
  const start = performance.now();
  const descriptor = openSync(file, constants.O_WRONLY | constants.O_CREAT | constants.O_TRUNC | constants.O_DSYNC);
  for (let n = 0; n < mebibytes; n += 4) writeSync(descriptor, piece);
  closeSync(descriptor);
  const rate = mebibytes / ((performance.now() - start) / 1000);
  rmSync(file);
  return rate;
}

/** Waits until the disk has all pages that were written without a sync, so that one measurement does not slow the next. */
export function writePendingPages() {
  execFileSync('sync');
}

/** Requests per second of a bare Node HTTP server in a process of its own, which answers a fixed body; the best of three rounds. */
export async function bareHttpRate(count) {
  const child = spawn(process.execPath, [fileURLToPath(new URL('./bare-server.mjs', import.meta.url))], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const port = await new Promise((resolve) => child.stdout.once('data', (text) => resolve(Number(text))));
  const body = '{"jsonrpc":"2.0","id":1,"method":"eth_chainId"}';
  const rates = [];
  for (let round = 0; round < 3; round++) {
    const next = () => ({ path: '/', method: 'POST', body });
    rates.push((await load(`http://127.0.0.1:${port}`, { count, next })).perSecond);
  }
  child.kill();
  return Math.max(...rates);
}
