import { readFileSync, writeFileSync } from 'node:fs';
import { expect, test } from '@jest/globals';
import type { Command } from './command.ts';
import { commands, withListing } from './commands.ts';
import { openApiDocument } from './open-api.ts';

const file = new URL('../../openapi.json', import.meta.url);
// What a command says of itself needs nothing of what it works with.
const working = commands.map((Made) => new (Made as unknown as new () => Command)());
const made = withListing(working);

test('openapi.json tells what the commands say; UPDATE_OPENAPI=1 makes it anew', () => {
  const text = `${JSON.stringify(openApiDocument(made), null, 2)}\n`;
  if (process.env.UPDATE_OPENAPI === '1') writeFileSync(file, text);
  expect(readFileSync(file, 'utf8')).toBe(text);
});

test('every command is there once, with its own name for clients that are generated', () => {
  const { paths } = openApiDocument(made) as unknown as { paths: Record<string, { post: { operationId: string } }> };
  expect(Object.keys(paths).sort()).toEqual([...working.map(({ name }) => `/${name}`), '/commands'].sort());
  expect(new Set(made.map(({ name }) => name)).size).toBe(made.length);
  const ids = Object.values(paths).map(({ post }) => post.operationId);
  expect(new Set(ids).size).toBe(ids.length);
  expect(paths['/add']?.post).toMatchObject({
    requestBody: { required: true },
    summary: expect.stringContaining('5 credits'),
  });
});
