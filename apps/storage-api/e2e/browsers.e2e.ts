import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { basic, Service } from './service.ts';

const page = 'https://app.example';
const evil = 'https://evil.example';

type Fields = Readonly<Record<string, string>>;

const call = (service: Service, headers: Fields, method = 'POST') =>
  fetch(`${service.url}/api/v0/version`, { method, headers });
const corsHeaders = ({ headers }: Response) =>
  Object.fromEntries([...headers].filter(([name]) => name.startsWith('access-control')));

describe('without CAIRN_STORAGE_CORS_ORIGINS', () => {
  const service = new Service();
  beforeAll(async () => {
    await service.makeAccounts();
    await service.start();
  });
  afterAll(() => service.remove());

  test.each([
    ['an Origin', { origin: page }],
    ['the origin of the service', () => ({ origin: service.url })],
    ['an opaque origin', { origin: 'null' }],
    ['a Referer', { referer: `${page}/x` }],
    ['neither, from a browser', { 'user-agent': 'Mozilla/5.0 (X11) Firefox/120.0' }],
  ])('a request with %s is refused before authentication, as Kubo refuses it', async (_, given) => {
    const headers: Fields = typeof given === 'function' ? given() : given;
    const credentials: Fields[] = [{}, { authorization: basic('ann') }];
    for (const more of credentials) {
      const answer = await call(service, { ...headers, ...more });
      expect([answer.status, await answer.text()]).toEqual([403, '403 - Forbidden\n']);
      expect(answer.headers.get('content-type')).toBe('text/plain; charset=utf-8');
      expect(answer.headers.get('www-authenticate')).toBeNull();
      expect(corsHeaders(answer)).toEqual({});
    }
  });

  test('a preflight gets no permission', async () => {
    const answer = await call(service, { origin: page, 'access-control-request-method': 'POST' }, 'OPTIONS');
    expect([answer.status, corsHeaders(answer)]).toEqual([204, {}]);
  });

  test('programs other than browsers call as before', async () => {
    const answer = await call(service, { authorization: basic('ann'), 'user-agent': 'curl/8.0' });
    expect([answer.status, corsHeaders(answer)]).toEqual([200, {}]);
  });
});

describe('with CAIRN_STORAGE_CORS_ORIGINS', () => {
  const service = new Service();
  beforeAll(async () => {
    await service.makeAccounts();
    await service.start({ CAIRN_STORAGE_CORS_ORIGINS: `${page},https://other.example` });
  });
  afterAll(() => service.remove());

  test('a preflight is answered before authentication', async () => {
    const headers = { 'access-control-request-method': 'POST', 'access-control-request-headers': 'authorization' };
    const answer = await call(service, { origin: page, ...headers }, 'OPTIONS');
    expect(answer.status).toBe(204);
    expect(corsHeaders(answer)).toMatchObject({
      'access-control-allow-origin': page,
      'access-control-allow-methods': 'POST',
      'access-control-allow-headers': expect.stringContaining('authorization, content-type'),
    });
  });

  test('the page may read responses and errors, with the headers of Kubo and of the limits', async () => {
    const referer = `${page}/upload`;
    for (const [as, status] of [
      ['ann', 200],
      ['missing', 401],
    ] as const) {
      const answer = await call(service, { origin: page, referer, authorization: basic(as) });
      expect([answer.status, answer.headers.get('access-control-allow-origin')]).toEqual([status, page]);
      expect(answer.headers.get('vary')).toBe('origin');
      const exposed = answer.headers.get('access-control-expose-headers')?.split(', ');
      expect(exposed).toEqual(
        expect.arrayContaining(['x-stream-output', 'x-chunked-output', 'x-content-length', 'ratelimit']),
      );
    }
  });

  test('other pages stay refused', async () => {
    const authorization = basic('ann');
    const others: Fields[] = [{ origin: evil }, { origin: page, referer: evil }, { origin: `${page}.evil.example` }];
    for (const headers of others) {
      const answer = await call(service, { ...headers, authorization });
      expect(answer.status).toBe(403);
    }
    const preflight = await call(service, { origin: evil, 'access-control-request-method': 'POST' }, 'OPTIONS');
    expect(corsHeaders(preflight)).toEqual({});
  });
});
