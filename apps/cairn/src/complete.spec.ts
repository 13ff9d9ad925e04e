import { expect, test } from '@jest/globals';
import { complete } from './complete.ts';
import { topCommandNames } from './top-commands.ts';

const names = async (...words: string[]) => (await complete(words)).map(({ name }) => name);

test('commands, their commands and unused options follow', async () => {
  expect(await names()).toEqual(expect.arrayContaining([...topCommandNames]));
  expect(await names('key')).toEqual(['create', 'limit', 'list', 'rotate', 'revoke', '--help']);
  expect(await names('key', 'create', 'acme', '--json')).toContain('--grants');
  expect(await names('key', 'create', 'acme', '--json')).not.toContain('--json');
});

test('nothing follows an option that takes a value', async () => {
  expect(await names('key', 'create', 'acme', '--name')).toEqual([]);
  expect(await names('key', 'create', 'acme', '--name', 'create')).toContain('--grants');
});
