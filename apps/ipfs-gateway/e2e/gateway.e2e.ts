import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { request as httpRequest } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Auth, openLmdbAccountStore } from '@cairn/auth';
import { openLmdbBlockstore } from '@cairn/blockstore';
import { cidFor } from '@cairn/cid';
import { type RunningService, startService } from '@cairn/service-kit/testing';
import { importTree, profiles } from '@cairn/unixfs';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { freePort } from '../../../tools/peers/free-port.mjs';
import { until } from './raw-client.ts';

const main = fileURLToPath(new URL('../dist/main.js', import.meta.url));
const home = mkdtempSync(join(tmpdir(), 'cairn-ipfs-gateway-'));
const authorization = `Basic ${Buffer.from('ann:secret-of-ann').toString('base64')}`;
const big = Buffer.alloc(3 * 1024 * 1024, 'cairn ');
let root = '';

async function* content(bytes: Uint8Array) {
  yield bytes;
}

/** Sends a request with a Host of its own, which fetch does not allow. */
function get(url: string, path: string, headers: Readonly<Record<string, string>> = {}) {
  return new Promise<{ status: number; headers: Readonly<Record<string, unknown>>; body: Buffer }>(
    (resolve, reject) => {
      const request = httpRequest(url, { path, headers }, (response) => {
        const parts: Buffer[] = [];
        response.on('data', (part: Buffer) => parts.push(part));
        response.on('error', reject);
        response.on('end', () =>
          resolve({ status: response.statusCode ?? 0, headers: response.headers, body: Buffer.concat(parts) }),
        );
      });
      request.on('error', reject).end();
    },
  );
}

beforeAll(async () => {
  const blocks = await openLmdbBlockstore({ directory: join(home, 'blocks') });
  const entries = [
    { path: 'site/ą.txt', content: content(Buffer.from('hello')) },
    { path: 'site/big.bin', content: content(big) },
  ];
  for await (const { cid, isRoot } of importTree(entries, blocks, profiles['unixfs-v1-2025']))
    if (isRoot) root = cid.toString();
  await blocks.sync();
  await blocks.close();
  const auth = new Auth({ store: await openLmdbAccountStore({ directory: join(home, 'accounts') }) });
  await auth.createAccount({ name: 'ann', plan: 'local' });
  await auth.attachCard('ann', { brand: 'visa', last4: '4242' });
  await auth.createKey('ann', { id: 'ann', secret: 'secret-of-ann' });
  await auth.close();
});

afterAll(() => rmSync(home, { recursive: true }));

describe('the gateway with its default settings', () => {
  let service: RunningService;
  beforeAll(async () => {
    service = await startService({ main, home });
  });
  afterAll(async () => await service.stop());

  test('a request without a key gets 401, also for content that is not here', async () => {
    for (const path of [`/ipfs/${root}/big.bin`, '/ipfs/bafkqabtimvwgy3yk', '/foo']) {
      const { status, headers, body } = await get(service.url, path);
      expect([status, headers['www-authenticate']]).toEqual([401, 'Basic realm="cairn", charset="UTF-8"']);
      expect(body.toString()).toContain('API key');
    }
  });

  test('a key reads content, which shared caches must not store', async () => {
    const { status, headers, body } = await get(service.url, `/ipfs/${root}/%C4%85.txt`, { authorization });
    expect([status, body.toString()]).toEqual([200, 'hello']);
    expect(headers['cache-control']).toBe('private, max-age=29030400, immutable');
    expect(Buffer.from(String(headers['x-ipfs-path']), 'latin1').toString()).toBe(`/ipfs/${root}/ą.txt`);
  });

  test('the log line of a request has the account and the sent bytes', async () => {
    await get(service.url, `/ipfs/${root}/big.bin`, { authorization });
    const isLogged = () => service.log.some(({ bytesOut }) => Number(bytesOut) >= big.length);
    await until(isLogged);
  });
});

describe('the gateway with public access', () => {
  let service: RunningService;
  beforeAll(async () => {
    const env = { IPFS_GATEWAY_ACCESS: 'public', IPFS_NS_MAP: `site.example.org:/ipfs/${root}` };
    service = await startService({ main, home, env });
  });
  afterAll(async () => await service.stop());

  test('everybody reads files and ranges by path, by subdomain and by DNSLink', async () => {
    const whole = await get(service.url, `/ipfs/${root}/big.bin`);
    expect([whole.status, whole.body.equals(big)]).toEqual([200, true]);
    const host = `${root}.ipfs.localhost`;
    const part = await get(service.url, '/big.bin', { host, range: 'bytes=1000000-1000009' });
    expect([part.status, part.body.toString()]).toEqual([206, big.subarray(1_000_000, 1_000_010).toString()]);
    expect((await get(service.url, '/%C4%85.txt', { host: 'site.example.org' })).body.toString()).toBe('hello');
  });

  test('a wrong key is refused', async () => {
    const wrong = `Basic ${Buffer.from('ann:wrong').toString('base64')}`;
    expect((await get(service.url, `/ipfs/${root}/big.bin`, { authorization: wrong })).status).toBe(401);
  });
});

describe('the gateway with denylists', () => {
  let service: RunningService;
  let adminPort = 0;
  const file = join(home, 'denylists', 'local.deny');
  const text = cidFor(Buffer.from('hello'), { codec: 'raw' });
  beforeAll(async () => {
    mkdirSync(join(home, 'denylists'));
    writeFileSync(file, `/ipfs/${root}/big.bin reason=legal\n/ipns/denied.example.org\nno rule\n`);
    adminPort = await freePort();
    const env = {
      IPFS_GATEWAY_ACCESS: 'public',
      IPFS_GATEWAY_ADMIN_PORT: String(adminPort),
      IPFS_NS_MAP: `denied.example.org:/ipfs/${root}`,
    };
    service = await startService({ main, home, env });
  });
  afterAll(async () => await service.stop());
  afterAll(() => rmSync(join(home, 'denylists'), { recursive: true }));

  test('denied paths get 451 or 410 with the words of Kubo, through every form of URL', async () => {
    const path = `/ipfs/${root}/big.bin`;
    const { status, body } = await get(service.url, path);
    expect([status, body.toString()]).toEqual([
      451,
      `failed to resolve ${path}: ${path} is blocked and cannot be provided\n`,
    ]);
    const others = [`/ipfs/${root}//./big.bin`, `/ipfs/${root}/%62ig.bin`, `/ipfs/${root}/big.bin?format=raw`];
    for (const other of others) {
      const first = await get(service.url, other);
      const final = first.status === 307 ? await get(service.url, String(first.headers.location)) : first;
      expect([other, final.status]).toEqual([other, 451]);
    }
    expect((await get(service.url, '/big.bin', { host: `${root}.ipfs.localhost` })).status).toBe(451);
    expect((await get(service.url, '/big.bin', { host: 'denied.example.org' })).status).toBe(410);
    expect((await get(service.url, path, { 'if-none-match': '*' })).status).toBe(451);
    const metrics = await (await fetch(`http://127.0.0.1:${adminPort}/metrics`)).text();
    expect(metrics).toMatch(/^cairn_ipfs_gateway_denied_total\{status="451"[^}]*\} 6$/m);
    expect(metrics).toMatch(/^cairn_ipfs_gateway_denied_total\{status="410"[^}]*\} 1$/m);
  });

  test('a rule takes effect without a restart, for the block through every parent', async () => {
    expect((await get(service.url, `/ipfs/${root}/%C4%85.txt`)).status).toBe(200);
    writeFileSync(file, `/ipfs/${text}\n`);
    const status = async (path: string) => (await get(service.url, path)).status;
    await until(async () => (await status(`/ipfs/${text}`)) === 410);
    await until(async () => (await status(`/ipfs/${root}/%C4%85.txt`)) === 410);
    await until(async () => (await status(`/ipfs/${root}/big.bin`)) === 200);
  });

  test('the log has the file and the lines that are no rules', () => {
    expect(service.log.some(({ file: logged, ignoredLines }) => logged === file && ignoredLines === 1)).toBe(true);
  });
});
