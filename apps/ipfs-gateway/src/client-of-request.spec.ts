import type { IncomingMessage } from 'node:http';
import { expect, test } from '@jest/globals';
import { RequestSources } from './client-of-request.ts';

function source(
  proxies: string,
  remoteAddress: string,
  headers: IncomingMessage['headers'],
  url = '/ipfs/x?y',
): ReturnType<RequestSources['of']> {
  const socket = { remoteAddress } as IncomingMessage['socket'];
  return new RequestSources(proxies, { isTls: false }).of({ headers, socket, url });
}

const forwarded = {
  host: 'real.example',
  'x-forwarded-host': 'spoofed.example, outer.example',
  'x-forwarded-proto': 'https',
  'x-forwarded-for': '198.51.100.9, 203.0.113.5, 10.0.0.2',
};

test('fields of a client that is no trusted proxy do not count and are removed', () => {
  const { address, host, isHttps, headers } = source('10.0.0.0/8', '203.0.113.1', forwarded);
  expect([address, host, isHttps]).toEqual(['203.0.113.1', 'real.example', false]);
  expect(headers).toEqual({ host: 'real.example' });
});

test('a trusted proxy names the client, the host and the scheme; values that a client has put before do not count', () => {
  const { address, host, isHttps } = source('10.0.0.0/8,::1', '::ffff:10.1.2.3', forwarded);
  expect([address, host, isHttps]).toEqual(['203.0.113.5', 'outer.example', true]);
});

test.each([
  [{ host: 'a', 'x-forwarded-for': 'unknown, _x' }, '10.0.0.1'],
  [{ host: 'a' }, '10.0.0.1'],
  [{ host: 'a', 'x-forwarded-for': '10.0.0.5, 10.0.0.6' }, '10.0.0.1'],
])('without a usable address the proxy is the client: %j', (headers, address) => {
  expect(source('10.0.0.0/8', '10.0.0.1', headers).address).toBe(address);
});

test('an absolute target decides the host, and its path is the target', () => {
  const { host, target } = source('', '192.0.2.1', { host: 'one.example' }, 'http://two.example/ipfs/a?b');
  expect([host, target]).toEqual(['two.example', '/ipfs/a?b']);
  expect(source('', '192.0.2.1', { host: 'one.example' }, 'http://two.example').target).toBe('/');
});
