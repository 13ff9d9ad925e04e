import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { openStores } from './index.ts';

let home: string;
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'cairn-stores-'));
});
afterEach(() => rmSync(home, { recursive: true }));

test('openStores creates no store before it is asked for one', () => {
  const stores = openStores({ CAIRN_HOME: home });
  expect(readdirSync(home)).toEqual([]);
  expect(stores.has('blocks')).toBe(false);
});

test('each store opens twice at the same time, since processes share them', async () => {
  const stores = openStores({ CAIRN_HOME: home });
  const names = [
    'accounts',
    'plans',
    'usage',
    'limits',
    'billing',
    'blocks',
    'pins',
    'pinRequests',
    'files',
    'names',
    'providing',
  ] as const;
  for (const name of names) {
    const [one, other] = [await stores[name](), await stores[name]()];
    await one.close();
    await other.close();
  }
  expect(readdirSync(home).sort()).toEqual(['accounts', 'blocks', 'files', 'limits', 'names', 'pins', 'providing']);
  expect(stores.has('blocks')).toBe(true);
});

test('metering opens plans, usage and limits', async () => {
  const { plans, usage, limits } = await openStores({ CAIRN_HOME: home }).metering();
  expect(await plans.plans()).not.toEqual([]);
  await Promise.all([plans.close(), usage.close(), limits.close()]);
});

test('blocks applies the limits that it is given', async () => {
  const blocks = await openStores({ CAIRN_HOME: home }).blocks({ bytesMax: 1000 });
  expect(blocks.fullness()).toMatchObject({ bytes: 0, bytesMax: 1000 });
  await blocks.close();
});
