import { expect, test } from '@jest/globals';
import { subdomainUrl } from './subdomain-url.ts';

const long = `${'a'.repeat(40)}.${'b'.repeat(30)}.example`;
const urlOf = (root: string, isHttps: boolean) =>
  subdomainUrl({ isHttps, host: 'localhost:8081', namespace: 'ipns', root, rest: '/x?y', inlinesRoot: true });

test('a domain becomes one label', () => {
  for (const isHttps of [false, true])
    expect(urlOf('a-b.example', isHttps)).toContain('://a--b-example.ipns.localhost:8081/x?y');
});

test('a domain that is too long for a label keeps its dots over HTTP, and is refused over HTTPS', () => {
  expect(urlOf(long, false)).toBe(`http://${long}.ipns.localhost:8081/x?y`);
  expect(() => urlOf(long, true)).toThrow(expect.objectContaining({ status: 400 }));
});
