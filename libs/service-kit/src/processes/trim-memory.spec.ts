import { readFileSync } from 'node:fs';
import { expect, test } from '@jest/globals';
import { thisProcess } from './collect-when-idle.ts';
import { trimMemory } from './trim-memory.ts';

/** Resident memory without mapped files, in MiB. */
const anonymous = () => Number(/RssAnon:\s+(\d+)/.exec(readFileSync('/proc/self/status', 'utf8'))?.[1]) / 1024;

const { header } = process.report.getReport() as { readonly header: { readonly glibcVersionRuntime?: string } };
const hasKoffi = await import('koffi').then(
  () => true,
  () => false,
);
const acts = process.platform === 'linux' && header.glibcVersionRuntime !== undefined && hasKoffi;
if (!acts) console.log('skipped: trimMemory acts with glibc on Linux, and with the optional package koffi.');

(acts ? test : test.skip)('free memory below memory in use is given back to the system', async () => {
  // Buffers shorter than 128 KiB are parts of the heap of the C library. Each tenth one stays in use.
  let buffers = Array.from({ length: 2_000 }, () => Buffer.alloc(100_000, 1));
  const full = anonymous();
  buffers = buffers.filter((_, index) => index % 10 === 0);
  thisProcess().collect();
  // V8 frees the collected buffers in a thread of its own.
  for (let tries = 0; tries < 50 && full - anonymous() < 100; tries++) await trimMemory();
  expect(full - anonymous()).toBeGreaterThan(100);
  expect(buffers.every((bytes) => bytes[99_999] === 1)).toBe(true);
});
