import { readFileSync } from 'node:fs';
import { settingsTable } from '@cairn/service-kit/testing';
import { expect, test } from '@jest/globals';
import { settingsShape } from './settings.ts';

test('the README lists the settings with their defaults and meanings', () => {
  const readme = readFileSync(new URL('../README.md', import.meta.url), 'utf8');
  expect(readme).toContain(settingsTable(settingsShape));
});
