import { readFileSync } from 'node:fs';
import { describe, expect, test } from '@jest/globals';
import { loadSettings, type SettingName, settingsShape } from './index.ts';

const readme = readFileSync(new URL('../README.md', import.meta.url), 'utf8');
const rows = new Map(
  [...readme.matchAll(/^\| `([A-Z_]+)` +\| (.*?) +\| (.*?) +\|$/gm)].map(([, name, value, meaning]) => [
    name,
    { value, meaning },
  ]),
);
const names = Object.keys(settingsShape) as SettingName[];

describe('the README', () => {
  test.each(names)('has %s with its default and its meaning', (name) => {
    const value = settingsShape[name].safeParse(undefined).data;
    expect(rows.get(name)).toEqual({
      value: value === undefined ? 'none' : `\`${value}\``,
      meaning: settingsShape[name].description,
    });
  });

  test('has no setting that does not exist', () => {
    const listed = [...rows.keys()].filter((name) => name !== 'SETTINGS_INVALID');
    expect(listed.sort()).toEqual([...names].sort());
  });

  test('shows what a refusal really says', () => {
    const shown = /^The settings cannot be used:\n(?: {2}.*\n)+/m.exec(readme)?.[0].trimEnd();
    const env = { STORAGE_API_PORT: '70000', CAIRN_HOEM: '/data', LOG_LEVEL: 'loud' };
    expect(() => loadSettings({ env, directory: '/nowhere' })).toThrow(shown);
    expect(shown).toContain('Did you mean CAIRN_HOME?');
  });
});
