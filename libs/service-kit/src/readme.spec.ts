import { readFileSync } from 'node:fs';
import { describe, expect, test } from '@jest/globals';
import { commonSettings, loadSettings, sharedSettings } from './index.ts';
import { settingsTable } from './testing/index.ts';

const readme = readFileSync(new URL('../README.md', import.meta.url), 'utf8');

describe('the README', () => {
  test('lists the common settings with their defaults and meanings', () => {
    expect(readme).toContain(settingsTable(commonSettings));
  });

  test('shows the message that a refusal has', () => {
    const shown = /^The settings cannot be used:\n(?: {2}.*\n)+/m.exec(readme)?.[0].trimEnd();
    const env = { STORAGE_API_PORT: '70000', CAIRN_HOEM: '/data', LOG_LEVEL: 'loud' };
    const { STORAGE_API_PORT } = sharedSettings;
    expect(() => loadSettings({ STORAGE_API_PORT }, { env, directory: '/nowhere' })).toThrow(shown);
    expect(shown).toContain('Did you mean CAIRN_HOME?');
  });
});
