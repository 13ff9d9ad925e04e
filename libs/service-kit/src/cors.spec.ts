import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, describe, expect, test } from '@jest/globals';
import { Cors } from './index.ts';

const make = (origins: string | undefined) =>
  new Cors({ origins, requestHeaders: ['authorization', 'content-type'], exposedHeaders: ['x-request-id'] });
const browser = 'Mozilla/5.0 (X11) Firefox/120.0';

test.each([
  [undefined, 'https://app.example', false],
  ['https://app.example', 'https://app.example', true],
  ['https://app.example', 'https://App.Example', true],
  ['https://app.example', 'https://app.example.evil', false],
  ['https://app.example', 'http://app.example', false],
  ['https://app.example', 'null', false],
  ['https://a.example,https://app.example', 'https://app.example', true],
  ['*', 'https://app.example', true],
  [undefined, '*', false],
])('with the origins %j, pages of %s may call: %s', (origins, origin, isAllowed) => {
  expect(make(origins).allows(origin)).toBe(isAllowed);
});

describe('isForeign', () => {
  test.each([
    [{}, false],
    [{ 'user-agent': 'curl/8.0' }, false],
    [{ origin: 'https://app.example' }, false],
    [{ origin: 'https://app.example', referer: 'https://app.example/page?x', 'user-agent': browser }, false],
    [{ origin: 'https://evil.example' }, true],
    [{ origin: 'null' }, true],
    [{ origin: 'https://app.example', referer: 'https://evil.example/' }, true],
    [{ referer: 'https://evil.example/x' }, true],
    [{ referer: 'not an address' }, true],
    [{ 'user-agent': browser }, true],
    [{ 'user-agent': `${browser} Electron/30.0` }, false],
  ])('%j: %s', (headers, isForeign) => {
    expect(make('https://app.example').isForeign(headers)).toBe(isForeign);
  });

  test('isForeign is true for every page without origins, and for none with *', () => {
    const headers = { origin: 'https://app.example', referer: 'https://app.example/' };
    expect(make(undefined).isForeign(headers)).toBe(true);
    expect(make('*').isForeign(headers)).toBe(false);
  });
});

describe('setHeaders', () => {
  const cors = make('https://app.example');
  const server = createServer((request, response) => {
    cors.setHeaders(request, response);
    response.end();
  });
  const started = new Promise<string>((resolve) => {
    server.listen(0, () => resolve(`http://127.0.0.1:${(server.address() as AddressInfo).port}`));
  });
  afterAll(() => new Promise((resolve) => server.close(resolve)));
  const ask = async (method: string, origin: string) => {
    const { headers } = await fetch(await started, { method, headers: { origin } });
    return Object.fromEntries([...headers].filter(([name]) => name.startsWith('access-control') || name === 'vary'));
  };

  test('an allowed origin may read the response and send the header fields of the preflight', async () => {
    const read = {
      'access-control-allow-origin': 'https://app.example',
      'access-control-expose-headers': 'x-request-id',
      vary: 'origin',
    };
    expect(await ask('POST', 'https://app.example')).toEqual(read);
    expect(await ask('OPTIONS', 'https://app.example')).toEqual({
      ...read,
      'access-control-allow-headers': 'authorization, content-type',
      'access-control-allow-methods': 'POST',
      'access-control-max-age': '600',
    });
  });

  test('another origin gets no header', async () => {
    expect(await ask('POST', 'https://evil.example')).toEqual({});
    expect(await ask('OPTIONS', 'https://evil.example')).toEqual({});
  });
});
