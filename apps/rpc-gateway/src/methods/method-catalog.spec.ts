import { readFileSync, writeFileSync } from 'node:fs';
import { methodsMarkdown } from '@cairn/jsonrpc-core';
import { expect, test } from '@jest/globals';
import { describedMethods } from './method-catalog.fixture.ts';

const catalog = describedMethods();
const page = new URL('../../METHODS.md', import.meta.url);
const heading =
  '# Methods\n\nGenerated from the method definitions. To update, run `UPDATE_METHODS=1 npm test -- src/methods/method-catalog.spec.ts` in this directory.\n\n';

test('METHODS.md matches the method definitions', () => {
  const text = heading + methodsMarkdown(catalog.groups);
  if (process.env.UPDATE_METHODS === '1') writeFileSync(page, text);
  expect(readFileSync(page, 'utf8')).toBe(text);
});

test('openrpc.json matches the result of rpc.discover (UPDATE_METHODS=1 updates it)', () => {
  const file = new URL('../../openrpc.json', import.meta.url);
  const text = `${JSON.stringify(JSON.parse(catalog.openRpc.json), null, 2)}\n`;
  if (process.env.UPDATE_METHODS === '1') writeFileSync(file, text);
  expect(readFileSync(file, 'utf8')).toBe(text);
});

test('method names are unique', () => {
  const names = catalog.methods.map(({ name }) => name);
  expect(names.filter((name, index) => names.indexOf(name) !== index)).toEqual([]);
});
