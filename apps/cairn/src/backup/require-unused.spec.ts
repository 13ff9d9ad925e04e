import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Environment } from '@cairn/embedded-store';
import { expect, test } from '@jest/globals';
import { holderOf, requireUnused } from './require-unused.ts';

const locks = [
  '1: POSIX  ADVISORY  WRITE 4711 fe:00:815 4711 4711',
  '1: -> POSIX  ADVISORY  WRITE 4712 fe:00:99 0 0',
  '2: FLOCK  ADVISORY  WRITE 4713 fe:00:77 0 EOF',
].join('\n');

test.each([
  [815, '4711'],
  [81, undefined],
  [77, undefined],
  [99, undefined],
])('the file of inode %i is locked by %s', (inode, pid) => {
  expect(holderOf(inode, locks)).toBe(pid);
});

const onLinux = process.platform === 'linux' ? test : test.skip;
onLinux('a store is refused while a process has it open', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'cairn-unused-'));
  requireUnused(directory);
  const environment = await Environment.open({ directory, format: { name: 'test', version: 1 } });
  expect(() => requireUnused(directory)).toThrow(
    expect.objectContaining({ code: 'STORE_IN_USE', message: expect.stringContaining(`process ${process.pid}`) }),
  );
  await environment.close();
  requireUnused(directory);
  rmSync(directory, { recursive: true });
});
