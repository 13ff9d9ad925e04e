// Compressed bodies of some hundred bytes that decode to 256 MiB. The console refuses encoded bodies, the storage API
// stores them without decoding, and the gateway decodes up to its limit, for which the plan needs credits.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib';
import { Auth, openLmdbAccountStore } from '@cairn/auth';
import { openLmdbPlanStore, parsePlan } from '@cairn/metering';
import { type RunningService, startService } from '@cairn/service-kit/testing';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { services } from '../src/workspace.ts';
import { Cairn } from './cairn.ts';

const MiB = 1024 * 1024;
const bodyBytes = 256 * MiB;
const cairn = new Cairn();
const running = new Map<string, RunningService>();
const boundary = 'edge';
const multipart = (content: Buffer) =>
  Buffer.concat([
    Buffer.from(`--${boundary}\r\ncontent-disposition: form-data; name="file"; filename="a"\r\n\r\n`),
    content,
    Buffer.from(`\r\n--${boundary}--\r\n`),
  ]);
const json = { 'content-type': 'application/json' };
const storage = {
  authorization: `Basic ${Buffer.from('ann-key:ann-secret').toString('base64')}`,
  'content-type': `multipart/form-data; boundary=${boundary}`,
};
/** Text that is a valid request and 256 MiB long. */
const longJson = (start: string, end: string) =>
  Buffer.concat([Buffer.from(start), Buffer.alloc(bodyBytes, ' '), Buffer.from(end)]);
const call = () => longJson('{"jsonrpc":"2.0","id":1,"method":"eth_chainId"', '}');
const signIn = () => longJson('{"email":"ann@example.org","password":"wrong"', '}');
const guarded = { ...json, 'x-cairn-console': '1' };
const cases = [
  {
    name: 'storage-api',
    path: '/api/v0/add',
    headers: storage,
    body: () => multipart(Buffer.alloc(bodyBytes)),
    status: 400,
  },
  {
    name: 'storage-api',
    path: '/api/v0/block/put',
    headers: storage,
    body: () => multipart(Buffer.alloc(bodyBytes)),
    status: 400,
  },
  { name: 'rpc-gateway', path: '/v3/ann-key', headers: json, body: call, status: 413 },
  { name: 'console', path: '/api/sign-in', headers: guarded, body: signIn, status: 415 },
  { name: 'console', path: '/api/sign-up', headers: guarded, body: signIn, status: 415 },
  { name: 'console', path: '/api/billing/webhook', headers: guarded, body: signIn, status: 415 },
] as const;
const encodings = {
  gzip: (bytes: Buffer) => gzipSync(bytes),
  deflate: (bytes: Buffer) => deflateSync(bytes),
  br: (bytes: Buffer) => brotliCompressSync(bytes, { params: { 1: 5 } }),
} as const;

beforeAll(async () => {
  const auth = new Auth({ store: await openLmdbAccountStore({ directory: join(cairn.home, 'accounts') }) });
  await auth.createAccount({ name: 'ann', plan: 'local' });
  await auth.attachCard('ann', { brand: 'visa', last4: '4242' });
  await auth.createKey('ann', { id: 'ann-key', secret: 'ann-secret' });
  const plans = await openLmdbPlanStore({ directory: join(cairn.home, 'accounts') });
  await plans.put(parsePlan({ name: 'tiny', creditsPerDay: 20 }));
  await plans.close();
  await auth.createAccount({ name: 'poor', plan: 'tiny' });
  await auth.createKey('poor', { id: 'poor-key' });
  await auth.close();
  for (const name of ['storage-api', 'rpc-gateway', 'console'] as const)
    running.set(name, await startService({ main: services[name], home: cairn.home }));
});
afterAll(async () => {
  await Promise.all([...running.values()].map((service) => service.stop()));
  cairn.remove();
});

/** Peak private memory of a process. */
function peakBytes(service: RunningService): number {
  return Number(/VmHWM:\s+(\d+) kB/.exec(readFileSync(`/proc/${service.process.pid}/status`, 'utf8'))?.[1]) * 1024;
}

test.each(cases)('$name $path: a body that decodes to 256 MiB gets $status and little memory', async (request) => {
  const { name, path, headers, body, status } = request;
  const service = running.get(name) as RunningService;
  const plain = body();
  const before = peakBytes(service);
  for (const [encoding, encode] of Object.entries(encodings)) {
    const answer = await fetch(`${service.url}${path}`, {
      method: 'POST',
      headers: { ...headers, 'content-encoding': encoding },
      body: encode(plain),
    });
    expect([encoding, answer.status]).toEqual([encoding, status]);
    await answer.arrayBuffer();
  }
  expect(peakBytes(service) - before).toBeLessThan(64 * MiB);
  expect((await fetch(`${service.url}/livez`)).status).toBe(200);
});

test('an account without credits for a long body is refused a short one that decodes to it', async () => {
  const { url } = running.get('rpc-gateway') as RunningService;
  const body = Buffer.concat([Buffer.from('[1'), Buffer.from(',1'.repeat(2 * MiB)), Buffer.from(']')]);
  const post = (bytes: Buffer, more: Record<string, string> = {}) =>
    fetch(`${url}/v3/poor-key`, { method: 'POST', headers: { ...json, ...more }, body: bytes });
  expect((await post(Buffer.from('{"jsonrpc":"2.0","id":1,"method":"eth_chainId"}'))).status).toBe(200);
  expect((await post(body)).status).toBe(429);
  // Decoded bytes are charged also when the request is refused.
  for (const [encoding, encode] of Object.entries(encodings))
    expect((await post(encode(body), { 'content-encoding': encoding })).status).toBe(429);
});
