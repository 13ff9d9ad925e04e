import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { request as httpRequest } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { Auth, openLmdbAccountStore, openLmdbGatewayHostStore } from '@cairn/auth';
import { openLmdbBlockstore } from '@cairn/blockstore';
import { type CID, parseCid } from '@cairn/cid';
import { openLmdbPinStore } from '@cairn/pinning';
import { type RunningService, startService } from '@cairn/service-kit/testing';
import { importTree, profiles } from '@cairn/unixfs';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { until } from './raw-client.ts';

const run = promisify(execFile);
const main = fileURLToPath(new URL('../dist/main.js', import.meta.url));
const command = fileURLToPath(new URL('../../cairn/dist/main.js', import.meta.url));
const home = mkdtempSync(join(tmpdir(), 'cairn-ipfs-gateway-access-'));
let auth: Auth;
let site: CID;
let other: CID;

/** Runs the admin command. */
const cairn = async (...args: readonly string[]) =>
  JSON.parse(
    (await run(process.execPath, [command, ...args, '--json'], { env: { ...process.env, CAIRN_HOME: home } })).stdout,
  );

/** Sends a request with a Host of its own and without normalizing the path. */
function get(url: string, path: string, headers: Readonly<Record<string, string>> = {}) {
  return new Promise<{ status: number; headers: Readonly<Record<string, unknown>>; body: string }>(
    (resolve, reject) => {
      const request = httpRequest(url, { path, headers }, (response) => {
        const parts: Buffer[] = [];
        response.on('data', (part: Buffer) => parts.push(part));
        response.on('error', reject);
        response.on('end', () =>
          resolve({
            status: response.statusCode ?? 0,
            headers: response.headers,
            body: Buffer.concat(parts).toString(),
          }),
        );
      });
      request.on('error', reject).end();
    },
  );
}

async function* content(text: string) {
  yield Buffer.from(text);
}

beforeAll(async () => {
  const blocks = await openLmdbBlockstore({ directory: join(home, 'blocks') });
  const add = async (name: string, text: string) => {
    let root = '';
    const entries = [
      { path: `${name}/a/b.txt`, content: content(`${text} b`) },
      { path: `${name}/c.txt`, content: content(`${text} c`) },
    ];
    for await (const { cid, isRoot } of importTree(entries, blocks, profiles['unixfs-v0-2015']))
      if (isRoot) root = cid.toString();
    return parseCid(root);
  };
  [site, other] = [await add('site', 'ann'), await add('other', 'ben')];
  await blocks.sync();
  await blocks.close();
  auth = new Auth({ store: await openLmdbAccountStore({ directory: join(home, 'accounts') }) });
  for (const name of ['ann', 'ben']) {
    await auth.createAccount({ name, plan: 'local' });
    await auth.attachCard(name, { brand: 'visa', last4: '4242' });
    await auth.createKey(name, { id: name, secret: `secret-of-${name}` });
  }
  const pins = await openLmdbPinStore({ directory: join(home, 'pins') });
  for (const [name, cid] of [['ann', site] as const, ['ben', other] as const]) {
    const pin = { cid, mode: 'recursive', name: undefined, createdAt: 1, size: { blocks: 1, bytes: 1 } } as const;
    await pins.put((await auth.account(name)).id, [pin]);
  }
  await pins.close();
});
afterAll(async () => {
  await auth.close();
  rmSync(home, { recursive: true });
});

describe('content links and dedicated hosts', () => {
  let service: RunningService;
  let link = '';
  beforeAll(async () => {
    service = await startService({ main, home });
    const { url } = await cairn('gateway', 'sign', `/ipfs/${site}/a`, '--key', 'ann', '--url', service.url);
    link = new URL(url).search;
  });
  afterAll(async () => await service.stop());

  test('a link opens its path and what is below it, also after the redirect to a subdomain, and with Range', async () => {
    const { status, body, headers } = await get(service.url, `/ipfs/${site}/a/b.txt${link}`);
    expect([status, body, headers['referrer-policy']]).toEqual([200, 'ann b', 'no-referrer']);
    expect(headers['cache-control']).toContain('private');
    const part = await get(service.url, `/ipfs/${site}/a/b.txt${link}`, { range: 'bytes=0-2' });
    expect([part.status, part.body]).toEqual([206, 'ann']);
    const host = `localhost:${new URL(service.url).port}`;
    const moved = await get(service.url, `/ipfs/${site}/a/b.txt${link}`, { host });
    expect(moved.status).toBe(301);
    const to = new URL(String(moved.headers.location));
    expect((await get(service.url, `${to.pathname}${to.search}`, { host: to.host })).body).toBe('ann b');
  });

  test('a link opens nothing else', async () => {
    const paths = [
      `/ipfs/${site}`,
      `/ipfs/${site}/c.txt`,
      `/ipfs/${site}/a/../c.txt`,
      `/ipfs/${site}/a/%2e%2e/c.txt`,
      `/ipfs/${site}/a/%252e%252e/c.txt`,
      `/ipfs/${site}/a%2f..%2fc.txt`,
      `/ipfs/${site}/ab`,
      `/ipfs/${other}/a/b.txt`,
      `/ipns/${site}/a`,
    ];
    for (const path of paths) {
      const first = await get(service.url, `${path}${link}`);
      const to = [302, 307].includes(first.status) ? String(first.headers.location) : undefined;
      const { status, body } = to === undefined ? first : await get(service.url, to);
      // Dots and slashes are decoded once, and leave the signed path. A twice encoded name is one that does not exist.
      expect([path, status]).toEqual([path, path.includes('%25') ? 404 : 403]);
      expect(body).not.toContain('ann c');
    }
    const inOtherHost = await get(service.url, `/a/b.txt${link}`, { host: `${other.toV1()}.ipfs.localhost` });
    expect(inOtherHost.status).toBe(403);
    const spoofed = { host: `${other.toV1()}.ipfs.localhost`, 'x-forwarded-host': `${site.toV1()}.ipfs.localhost` };
    expect((await get(service.url, `/a/b.txt${link}`, spoofed)).status).toBe(403);
    expect(
      (await get(service.url, `/ipfs/${other}/a/b.txt${link}`, { 'cache-control': 'only-if-cached' })).status,
    ).toBe(403);
  });

  test('a changed link, and one of a revoked key, are refused', async () => {
    const changed = `${link.slice(0, -1)}${link.endsWith('A') ? 'B' : 'A'}`;
    expect((await get(service.url, `/ipfs/${site}/a/b.txt${changed}`)).status).toBe(403);
    expect((await get(service.url, `/ipfs/${site}/a/b.txt?cairn-link=`)).status).toBe(403);
    const { key } = await auth.createKey('ann', { id: 'doomed' });
    const { url } = await cairn('gateway', 'sign', `/ipfs/${site}/a`, '--key', key.id);
    const { search } = new URL(url);
    expect((await get(service.url, `/ipfs/${site}/a/b.txt${search}`)).status).toBe(200);
    await auth.revokeKey(key.id);
    expect((await get(service.url, `/ipfs/${site}/a/b.txt${search}`)).status).toBe(403);
  });

  test('the log has no link, and charges the account that signed', async () => {
    const { id } = await auth.account('ann');
    const isCharged = () => service.log.some(({ account, bytesOut }) => account === id && Number(bytesOut) > 0);
    await until(isCharged);
    expect(JSON.stringify(service.log)).not.toContain(link.slice(-20));
  });

  test('a dedicated host serves the pins of its account only, by path and by subdomain, until it is removed', async () => {
    const status = async (path: string, host: string) => (await get(service.url, path, { host })).status;
    const name = 'files.ann.example';
    expect(await status(`/ipfs/${site}/c.txt`, name)).toBe(401);
    await cairn('gateway', 'host', 'add', 'Files.Ann.example', '--account', 'ann');
    const subdomain = `${site.toV1()}.ipfs.${name}`;
    await until(async () => (await status('/c.txt', subdomain)) === 200);
    expect(await status('/c.txt', `${subdomain.toUpperCase()}:80`)).toBe(200);
    expect(await status(`/ipfs/${site}/c.txt`, name)).toBe(301);
    expect(await status('/c.txt', `${other.toV1()}.ipfs.${name}`)).toBe(403);
    expect(await status('/c.txt', `${other.toV1()}.ipfs.localhost`)).toBe(401);
    expect(await status('/c.txt', `${subdomain}.evil.example`)).toBe(401);
    const spoofed = { host: 'localhost', 'x-forwarded-host': subdomain };
    expect((await get(service.url, '/c.txt', spoofed)).status).toBe(401);
    const hosts = await openLmdbGatewayHostStore({ directory: join(home, 'accounts') });
    expect((await hosts.list()).map(({ host }) => host)).toEqual([name]);
    await hosts.close();
    await cairn('gateway', 'host', 'remove', name);
    await until(async () => (await status('/c.txt', subdomain)) !== 200);
    expect(await status('/c.txt', subdomain)).toBe(401);
  });
});

test('the public gets limits for each address that a trusted proxy names, with Retry-After', async () => {
  const env = {
    IPFS_GATEWAY_ACCESS: 'public',
    IPFS_GATEWAY_TRUSTED_PROXIES: '127.0.0.1,::1',
    IPFS_GATEWAY_ADDRESS_REQUESTS_PER_SECOND: '1',
  };
  const service = await startService({ main, home, env });
  try {
    const path = `/ipfs/${site}/c.txt`;
    const from = (address: string) => get(service.url, path, { 'x-forwarded-for': `198.51.100.7, ${address}` });
    const answers = await Promise.all(Array.from({ length: 60 }, (_, n) => from(`2001:db8::${n}`)));
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200, 429]));
    const refused = answers.filter(({ status }) => status === 429);
    expect(refused.every(({ headers }) => headers['retry-after'] === '1')).toBe(true);
    expect((await from('2001:db8:0:1::1')).status).toBe(200);
    const authorization = `Basic ${Buffer.from('ann:secret-of-ann').toString('base64')}`;
    expect((await get(service.url, path, { authorization, 'x-forwarded-for': '2001:db8::1' })).status).toBe(200);
    expect((await get(service.url, path)).status).toBe(200);
  } finally {
    await service.stop();
  }
});
