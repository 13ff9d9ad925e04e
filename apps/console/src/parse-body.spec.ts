import { expect, test } from '@jest/globals';
import * as z from 'zod';
import { parseBody } from './parse-body.ts';

const schema = z.strictObject({
  name: z.string({ error: 'expected a name' }),
  policy: z.strictObject({ storage: z.array(z.string()).optional() }).optional(),
});

test.each([
  [{ name: 5 }, 'name', 'name: expected a name.'],
  [{ name: 'x', expiresInDays: 1 }, 'expiresInDays', /^expiresInDays: there is no such field\./],
  [{ name: 'x', policy: { scopes: [] } }, 'policy.scopes', /^policy\.scopes: there is no such field\./],
  ['x', 'body', /^body: /],
])('parseBody names the field of %j', (body, field, message) => {
  expect(() => parseBody(schema, body)).toThrow(
    expect.objectContaining({
      code: 'VALUE_INVALID',
      details: { field },
      message: typeof message === 'string' ? message : expect.stringMatching(message),
    }),
  );
});
