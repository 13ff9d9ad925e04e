import 'reflect-metadata';
import { readFileSync, writeFileSync } from 'node:fs';
import { expect, test } from '@jest/globals';
import { openApiDocument } from './open-api.ts';

const file = new URL('../openapi.json', import.meta.url);

test('openapi.json tells what the controllers route and parse; UPDATE_OPENAPI=1 makes it anew', () => {
  const text = `${JSON.stringify(openApiDocument(), null, 2)}\n`;
  if (process.env.UPDATE_OPENAPI === '1') writeFileSync(file, text);
  expect(readFileSync(file, 'utf8')).toBe(text);
});

test('bodies and queries are those of the schemas, and what is for whom is said', () => {
  const paths = openApiDocument().paths as Record<string, Record<string, Record<string, unknown>>>;
  expect(paths['/api/keys']?.post).toMatchObject({
    operationId: 'keys.create',
    security: [{ session: [] }],
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
