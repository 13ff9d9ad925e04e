import { expect, test } from '@jest/globals';
import { parsePostgresUrl } from './parse-url.ts';

test('a URL of libpq is parsed', () => {
  expect(parsePostgresUrl('postgres://u:p%3F@h:5433/d?sslmode=verify-full&application_name=x')).toMatchObject({
    host: 'h',
    port: 5433,
    user: 'u',
    password: 'p?',
    database: 'd',
    ssl: {},
  });
  expect(parsePostgresUrl('postgresql://h/d')).not.toHaveProperty('ssl');
});

test.each([
  ['postgres://u:hidden@h/d?sslmod=require', ' sslmod.'],
  ['postgres://u:hidden@h/d?sslmode=require&SSL=1', '.'],
  ['postgres://u:hid?den@h/d', '.'],
])('a misspelled parameter is refused: %s', (url, end) => {
  const parse = () => parsePostgresUrl(url);
  expect(parse).toThrow(
    expect.objectContaining({
      code: 'POSTGRES_URL_INVALID',
      message: `The URL of the database has an unknown parameter${end}`,
    }),
  );
  expect(parse).not.toThrow(/hid|den/);
});
