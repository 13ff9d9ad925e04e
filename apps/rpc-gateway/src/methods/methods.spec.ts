import { readFileSync, writeFileSync } from 'node:fs';
import { methodsMarkdown } from '@cairn/jsonrpc-core';
import { expect, test } from '@jest/globals';
import { methodGroups, methods, openRpcJson } from './index.ts';

const page = new URL('../../METHODS.md', import.meta.url);
const heading =
  '# Methods\n\nMade from the definitions that validate: `UPDATE_METHODS=1 npm test -- src/methods/methods.spec.ts` in this directory makes it anew.\n\n';

test('METHODS.md tells what the definitions say', () => {
  const text = heading + methodsMarkdown(methodGroups);
  if (process.env.UPDATE_METHODS === '1') writeFileSync(page, text);
  expect(readFileSync(page, 'utf8')).toBe(text);
});

test('openrpc.json is what rpc.discover answers; UPDATE_METHODS=1 makes it anew', () => {
  const file = new URL('../../openrpc.json', import.meta.url);
  const text = `${JSON.stringify(JSON.parse(openRpcJson().json), null, 2)}\n`;
  if (process.env.UPDATE_METHODS === '1') writeFileSync(file, text);
  expect(readFileSync(file, 'utf8')).toBe(text);
});

test('no name stands for two methods', () => {
  const names = methods.map(({ name }) => name);
  expect(names.filter((name, index) => names.indexOf(name) !== index)).toEqual([]);
});
