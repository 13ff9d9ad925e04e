import { createServer, request as httpRequest, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { type Stage, setStage } from './console.ts';

interface CollectedSpan {
  readonly service: string;
  readonly name: string;
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
}

const password = 'four words in a row';
const traceId = '4bf92f3577b34da6a3ce929d0e0e4736';
let stage: Stage;
let collector: Server;
const spans: CollectedSpan[] = [];
let collected = '';

beforeAll(async () => {
  collector = createServer(async (request, response) => {
    const text = Buffer.concat(await request.toArray()).toString();
    collected += text;
    for (const { resource, scopeSpans } of JSON.parse(text).resourceSpans) {
      const named = resource.attributes.find(({ key }: { key: string }) => key === 'service.name');
      for (const span of scopeSpans.flatMap((scope: { spans: object[] }) => scope.spans))
        spans.push({ ...span, service: named.value.stringValue });
    }
    response.writeHead(200, { 'content-type': 'application/json' }).end('{}');
  });
  await new Promise<void>((resolve) => collector.listen(0, '127.0.0.1', resolve));
  const endpoint = `http://127.0.0.1:${(collector.address() as AddressInfo).port}`;
  const env = { OTEL_EXPORTER_OTLP_ENDPOINT: endpoint, OTEL_BSP_SCHEDULE_DELAY: '200' };
  stage = await setStage({ ...env, CAIRN_HOSTS: 'console.example', CONSOLE_ADMIN_PORT: '0' }, env);
});
afterAll(async () => {
  await stage.stop();
  collector.closeAllConnections();
  collector.close();
});

async function spanOf(service: string, name: string): Promise<CollectedSpan> {
  for (;;) {
    const found = spans.find((span) => span.service === service && span.name === name && span.traceId === traceId);
    if (found !== undefined) return found;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

async function ask(method: string, path: string, headers: Record<string, string>, body?: object): Promise<Response> {
  return await fetch(`${stage.console.url}/api/${path}`, {
    method,
    headers: { 'x-cairn-console': '1', 'content-type': 'application/json', ...headers },
    ...(body && { body: JSON.stringify(body) }),
  });
}

test('a console request and its calls to the services share one trace id', async () => {
  const signedUp = await ask('POST', 'sign-up', {}, { email: 'a@example.org', password, accountName: 'a' });
  expect(signedUp.status).toBe(201);
  const cookie = signedUp.headers.getSetCookie()[0]?.split(';', 1)[0] ?? '';
  const headers = { cookie, 'x-request-id': 'mine-1', traceparent: `00-${traceId}-00f067aa0ba902b7-01` };
  const networks = (await (await ask('GET', 'networks', { cookie })).json()) as { name: string }[];
  const call = { jsonrpc: '2.0', id: 1, method: 'eth_chainId', params: [] };
  const answer = await ask('POST', `networks/${networks[0]?.name}/rpc`, headers, call);
  expect(await answer.json()).toMatchObject({ id: 1, result: expect.stringMatching(/^0x/) });
  expect(answer.headers.get('x-request-id')).toBe('mine-1');

  const page = await spanOf('console', 'POST /api/networks/:name/rpc');
  const request = await spanOf('rpc-gateway', 'POST /v3/:key');
  const method = await spanOf('rpc-gateway', 'eth_chainId');
  expect(page.parentSpanId).toBe('00f067aa0ba902b7');
  expect(request.parentSpanId).toBe(page.spanId);
  expect(method.parentSpanId).toBe(request.spanId);
  // The span has the route, since the path contains a key.
  expect(collected).not.toContain('~c.');

  const lines = [stage.console, stage.gateway].map((service) =>
    service.log.find((line) => line.requestId === 'mine-1' && line.msg === 'request'),
  );
  expect(lines).toEqual([
    expect.objectContaining({ traceId, operation: 'POST /api/networks/:name/rpc', status: 200 }),
    expect.objectContaining({ traceId, calls: { eth_chainId: 1 }, status: 200 }),
  ]);
});

test('a storage command is a span named by the command', async () => {
  const { key, secret } = await makeKey();
  const body = new FormData();
  body.append('file', new Blob(['traced']), 'traced.txt');
  const added = await fetch(`${stage.storage.url}/api/v0/add`, {
    method: 'POST',
    body,
    headers: {
      authorization: `Basic ${Buffer.from(`${key}:${secret}`).toString('base64')}`,
      traceparent: `00-${traceId}-00f067aa0ba902b7-01`,
    },
  });
  expect(added.status).toBe(200);
  expect((await spanOf('storage-api', 'POST /api/v0/add')).parentSpanId).toBe('00f067aa0ba902b7');
  for (const canary of [secret, key]) expect(collected).not.toContain(canary);
});

async function makeKey() {
  const { key, secret } = await stage.auth.createKey('a', { name: 'k' });
  await stage.auth.attachCard('a', { brand: 'visa', last4: '4242' });
  return { key: key.id, secret };
}

describe('host names', () => {
  const statusFor = (host: string, port: number, path: string) =>
    new Promise<number | undefined>((resolve, reject) => {
      httpRequest({ host: '127.0.0.1', port, path, headers: { host } }, (response) => {
        response.resume();
        resolve(response.statusCode);
      })
        .once('error', reject)
        .end();
    });

  test('a request with an unknown host name is refused', async () => {
    const port = Number(new URL(stage.console.url).port);
    const adminPort = Number(stage.console.log.find((line) => line.adminPort !== undefined)?.adminPort);
    for (const path of ['/', '/api/me', '/assets/x.js']) expect(await statusFor('evil.example', port, path)).toBe(421);
    expect(await statusFor('evil.example', adminPort, '/metrics')).toBe(421);
    expect(await statusFor('console.example', port, '/')).toBe(200);
    expect(await statusFor('console.example', adminPort, '/metrics')).toBe(200);
    expect(await statusFor(`localhost:${port}`, port, '/')).toBe(200);
  });
});
