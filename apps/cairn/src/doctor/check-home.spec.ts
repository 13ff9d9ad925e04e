import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from '@jest/globals';
import type { CommandSettings } from '../settings.ts';
import { checkHome } from './check-home.ts';

const directory = mkdtempSync(join(tmpdir(), 'cairn-doctor-'));
afterAll(() => rmSync(directory, { recursive: true }));

const check = (home: string) => checkHome({ CAIRN_HOME: home } as CommandSettings);

test('a home that exists or can be created is good, and nothing is created', async () => {
  expect((await check(directory))[0]).toEqual({ check: 'home', state: 'good', text: `${directory} can be written.` });
  const missing = join(directory, 'a', 'b');
  expect((await check(missing))[0]).toEqual({ check: 'home', state: 'good', text: `${missing} can be created.` });
  expect(readdirSync(directory)).toEqual([]);
});

test('a file in the way is a fault', async () => {
  const file = join(directory, 'file');
  writeFileSync(file, '');
  for (const home of [file, join(file, 'below')])
    expect(await check(home)).toEqual([expect.objectContaining({ check: 'home', state: 'fault' })]);
});
