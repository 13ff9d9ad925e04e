import { expect, test } from '@jest/globals';
import { matchRedirect, parseRedirects } from './index.ts';

const parse = (text: string) => parseRedirects(Buffer.from(text));

test('rules are tried in order, with placeholders and a splat', () => {
  const rules = parse('# comment\n/a /b\n/posts/:year/:slug /articles/:year/:slug 301\n/* /index.html 200 # spa\n');
  expect(matchRedirect(rules, '/a/')).toEqual({ to: '/b', status: 301 });
  expect(matchRedirect(rules, '/posts/2026/a b')).toEqual({ to: '/articles/2026/a%20b', status: 301 });
  expect(matchRedirect(rules, '/else/where')).toEqual({ to: '/index.html', status: 200 });
});

test('a splat fills :splat and matches an empty rest', () => {
  const rules = parse('/old/* https://example.org/:splat 308');
  expect(matchRedirect(rules, '/old/x/y')?.to).toBe('https://example.org/x/y');
  expect(matchRedirect(rules, '/old')?.to).toBe('https://example.org/');
  expect(matchRedirect(rules, '/older')).toBeUndefined();
});

test.each([
  ['/a /b 301!', 'shadowing'],
  ['/a /b 418', 'not supported'],
  ['/a', "missing 'to'"],
  ['a /b', "begin with '/'"],
  ['/a/*/b /c', 'last name'],
  ['/a javascript:alert(1)', 'parsing to'],
  [`/${'a'.repeat(65_536)} /b`, 'cannot exceed 65536'],
])('parseRedirects refuses %.30s', (text, reason) => {
  expect(() => parse(text)).toThrow(reason);
});
