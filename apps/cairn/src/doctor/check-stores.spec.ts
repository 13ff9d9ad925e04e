import { cpSync, mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Environment } from '@cairn/embedded-store';
import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals';
import type { CommandSettings } from '../settings.ts';
import { checkStores } from './check-stores.ts';

const base = mkdtempSync(join(tmpdir(), 'cairn-doctor-'));
const whole = join(base, 'whole');
const home = join(base, 'home');
const check = () => checkStores({ CAIRN_HOME: home } as CommandSettings);

beforeAll(async () => {
  for (const name of ['accounts', 'pins', join('chains', 'test')]) {
    const environment = await Environment.open({ directory: join(whole, name), format: { name: 'test', version: 1 } });
    await environment.close();
    rmSync(join(whole, name, 'lock.mdb'));
  }
});
beforeEach(() => {
  rmSync(home, { recursive: true, force: true });
  cpSync(whole, home, { recursive: true });
});
afterAll(() => rmSync(base, { recursive: true }));

test('complete stores are good, a home without stores has no finding, and no file is created', () => {
  expect(check()).toEqual([{ check: 'stores', state: 'good', text: 'The files of 3 stores are complete.' }]);
  expect(readdirSync(join(home, 'pins')).sort()).toEqual(['data.mdb', 'store.txt']);
  rmSync(home, { recursive: true });
  expect(check()).toEqual([]);
});

test.each([
  ['a truncated chain', () => truncateSync(join(home, 'chains', 'test', 'data.mdb'), 5000), /test\/data\.mdb is trunc/],
  ['a lost data file', () => rmSync(join(home, 'pins', 'data.mdb')), /pins\/data\.mdb is missing/],
  ['a damaged page', () => writeFileSync(join(home, 'pins', 'data.mdb'), Buffer.alloc(20_000, 7)), /pins/],
  ['a lock file that cannot be opened', () => mkdirSync(join(home, 'accounts', 'lock.mdb')), /lock\.mdb cannot be wr/],
  ['an unfinished restore', () => mkdirSync(join(home, '.restore.verified')), /A restore into .* is not finished/],
])('%s is a fault with advice', (_, damage, text) => {
  damage();
  expect(check()).toEqual([
    { check: 'stores', state: 'fault', text: expect.stringMatching(text), advice: expect.any(String) },
  ]);
});

test('a store that cannot be read is a fault', () => {
  rmSync(join(home, 'pins'), { recursive: true });
  symlinkSync('pins', join(home, 'pins'));
  expect(check()).toEqual([expect.objectContaining({ state: 'fault', text: expect.stringContaining('/pins') })]);
});
