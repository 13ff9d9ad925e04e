import { readFileSync, writeFileSync } from 'node:fs';
import { expect, test } from '@jest/globals';
import type { Command } from './command.ts';
import { commands, withListing } from './commands.ts';
import { openApiDocument } from './open-api.ts';
import { peerCommandDefinitions } from './peer/commands.ts';

const file = new URL('../../openapi.json', import.meta.url);
// Descriptions of a command need none of its dependencies.
const working = commands.map((Made) => new (Made as unknown as new () => Command)());
const made = withListing(working);

test('openapi.json matches the commands; UPDATE_OPENAPI=1 writes it', () => {
  const text = `${JSON.stringify(openApiDocument(made), null, 2)}\n`;
  if (process.env.UPDATE_OPENAPI === '1') writeFileSync(file, text);
  expect(readFileSync(file, 'utf8')).toBe(text);
});

test('openapi.json has every command once, with a unique name for generated clients', () => {
  type Operation = { readonly operationId?: string };
  const { paths } = openApiDocument(made) as unknown as { paths: Record<string, Record<string, Operation>> };
  const pins = ['/psa/pins', '/psa/pins/{requestid}', '/psa/webhook'];
  const offered = [...working, ...peerCommandDefinitions].map(({ name }) => `/${name}`);
  expect(Object.keys(paths).sort()).toEqual([...offered, '/commands', ...pins].sort());
  expect(new Set(made.map(({ name }) => name)).size).toBe(made.length);
  const ids = Object.values(paths).flatMap((path) =>
    Object.values(path).flatMap(({ operationId = [] }) => operationId),
  );
  expect(new Set(ids).size).toBe(ids.length);
  expect(paths['/add']?.post).toMatchObject({
    requestBody: { required: true },
    summary: expect.stringContaining('5 credits'),
  });
});
