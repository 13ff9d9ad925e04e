import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { commonSettings, settingNames } from '@cairn/service-kit';
import { expect, test } from '@jest/globals';

const apps = join(import.meta.dirname, '..', '..');

test('every known setting is read by a program', async () => {
  const shapes = await Promise.all(
    [
      ...['storage-api', 'rpc-gateway', 'console', 'ipfs-gateway', 'ipfs-peer'].map((app) => `${app}/dist/compiled`),
      'cairn/dist',
    ].map(async (directory) => {
      const { settingsShape } = await import(pathToFileURL(join(apps, directory, 'settings.js')).href);
      return Object.keys(settingsShape);
    }),
  );
  expect([...new Set([...Object.keys(commonSettings), ...shapes.flat()])].sort()).toEqual([...settingNames].sort());
});
