import 'reflect-metadata';
import { readFileSync, writeFileSync } from 'node:fs';
import { expect, test } from '@jest/globals';
import { openApiDocument } from './open-api.ts';

const file = new URL('../openapi.json', import.meta.url);

test('openapi.json matches the routes and schemas of the controllers; UPDATE_OPENAPI=1 writes it', () => {
  const text = `${JSON.stringify(openApiDocument(), null, 2)}\n`;
  if (process.env.UPDATE_OPENAPI === '1') writeFileSync(file, text);
  expect(readFileSync(file, 'utf8')).toBe(text);
});

test('operations have the schemas of their bodies and queries and name their audience', () => {
  const paths = openApiDocument().paths as Record<string, Record<string, Record<string, unknown>>>;
  expect(paths['/api/keys']?.post).toMatchObject({
    operationId: 'keys.create',
    security: [{ session: [] }, { token: [] }],
    requestBody: { content: { 'application/json': { schema: { required: ['name'] } } } },
  });
  expect(paths['/api/usage']?.get?.parameters).toContainEqual({
    name: 'span',
    in: 'query',
    required: false,
    schema: { type: 'string', enum: ['hour', 'day', 'month'], default: 'day' },
  });
  expect(paths['/api/sign-in']?.post).toMatchObject({ security: [] });
  expect(paths['/api/operator/plans/{name}']?.put?.summary).toMatch(/For operators\.$/);
});
