import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Environment } from '@cairn/embedded-store';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { HomeProcess } from './home-process.ts';

const place = mkdtempSync(join(tmpdir(), 'cairn-upgrade-'));
const home = join(place, 'old');
const homes = new HomeProcess();

beforeAll(() => {
  // Created by `buildHome` with the last build whose records had no checksums.
  execFileSync('mkdir', ['-p', home]);
  execFileSync('tar', ['xzf', join(import.meta.dirname, 'home-0.1.tar.gz'), '-C', home]);
});
afterAll(() => {
  homes.stop();
  rmSync(place, { recursive: true });
});

test('a home of a version without checksums opens with the same contents as a new one', async () => {
  await homes.build(join(place, 'new'));
  const expected = await homes.read(join(place, 'new'));
  expect(await homes.read(home)).toBe(expected);
  expect(await homes.read(home)).toBe(expected);
});

test.each(['accounts', 'pins', 'files', 'blocks'])('%s refuses earlier versions after the upgrade', async (store) => {
  const format = { name: `cairn-${store}`, version: 1 };
  await expect(Environment.open({ directory: join(home, store), format })).rejects.toMatchObject({
    code: 'STORE_VERSION_UNSUPPORTED',
    message: expect.stringContaining(`cairn-${store}/2`),
  });
});
