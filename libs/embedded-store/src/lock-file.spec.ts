import { execFile } from 'node:child_process';
import { chmodSync, chownSync, mkdirSync, mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { Environment } from './index.ts';

const fixture = join(import.meta.dirname, 'lock-file.fixture.mjs');
const nobody = 65_534;
let directory: string;
let lock: string;

beforeEach(async () => {
  directory = mkdtempSync(join(tmpdir(), 'cairn-lock-'));
  lock = join(directory, 'lock.mdb');
  await (await Environment.open({ directory, format: { name: 'test', version: 1 } })).close();
});
afterEach(() => rmSync(directory, { recursive: true }));

/** Opens the store in a process of its own. A crash rejects. */
async function open(file: string, args: readonly string[], user: object = {}): Promise<string> {
  return (await promisify(execFile)(file, [...args, fixture, directory], user)).stdout.trim();
}

test('open creates a lock file that has all its space, and leaves no draft', () => {
  const { size, blocks } = statSync(lock);
  expect(blocks * 512).toBeGreaterThanOrEqual(size);
  expect(readdirSync(directory).sort()).toEqual(['data.mdb', 'lock.mdb', 'store.txt']);
});

test('open refuses a lock file that it cannot write, and names it', async () => {
  const refused = `STORE_UNAVAILABLE The store in ${directory} failed: EACCES: ${lock} cannot be written.`;
  chmodSync(lock, 0o400);
  let user = {};
  if (process.getuid?.() === 0) {
    user = { uid: nobody, gid: nobody };
    for (const path of [directory, join(directory, 'data.mdb'), join(directory, 'store.txt')])
      chownSync(path, nobody, nobody);
  }
  expect(await open(process.execPath, [], user)).toBe(refused);
  rmSync(lock);
  mkdirSync(lock);
  expect(await open(process.execPath, [])).toBe(refused);
});

test('open reports a disk without space for the lock file', async () => {
  rmSync(lock);
  const limited = await open('/bin/sh', ['-c', 'ulimit -f 8; exec "$0" "$@"', process.execPath]);
  expect(limited).toMatch(/^STORE_FULL /);
  expect(readdirSync(directory).sort()).toEqual(['data.mdb', 'store.txt']);
  expect(await open(process.execPath, [])).toBe('opened');
});
