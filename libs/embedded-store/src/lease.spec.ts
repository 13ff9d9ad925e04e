import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { Environment, hasExited, Lease, processIdentity } from './index.ts';

let directory: string;
let environment: Environment;
beforeEach(async () => {
  directory = mkdtempSync(join(tmpdir(), 'cairn-lease-'));
  environment = await Environment.open({ directory, format: { name: 'lease-test', version: 1 } });
});
afterEach(async () => {
  await environment.close();
  rmSync(directory, { recursive: true });
});

test('a name has one holder at a time', async () => {
  const first = await Lease.tryAcquire({ environment, name: 'a' });
  expect(await Lease.tryAcquire({ environment, name: 'a' })).toBeUndefined();
  expect(await Lease.tryAcquire({ environment, name: 'b' })).toBeDefined();
  expect(await first?.renew()).toBe(true);
  await first?.release();
  expect(await Lease.tryAcquire({ environment, name: 'a' })).toBeDefined();
});

test('a lease that is not renewed can be taken, and its former holder cannot renew it', async () => {
  let clock = 0;
  const options = { environment, name: 'a', seconds: 60, now: () => clock };
  const first = await Lease.tryAcquire(options);
  clock = 60_000;
  expect(await Lease.tryAcquire(options)).toBeUndefined();
  clock = 60_001;
  const second = await Lease.tryAcquire(options);
  expect(second).toBeDefined();
  expect(await first?.renew()).toBe(false);
  await first?.release();
  expect(await second?.renew()).toBe(true);
});

test('hasExited is true for an ended process, false for this one and those of other hosts', () => {
  const mine = processIdentity();
  expect(hasExited(mine)).toBe(false);
  const ended = spawnSync(process.execPath, ['-e', 'console.log(process.pid)'], { encoding: 'utf8' });
  expect(hasExited({ ...mine, pid: Number(ended.stdout) })).toBe(true);
  expect(hasExited({ ...mine, pid: Number(ended.stdout), realm: 'another host' })).toBe(false);
  // A later process with the same number, as the first process of a container always has.
  if (mine.began !== '') expect(hasExited({ ...mine, began: '1' })).toBe(true);
});
