import { randomBytes } from 'node:crypto';
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Auth, openLmdbAccountStore } from '@cairn/auth';
import { openLmdbBlockstore } from '@cairn/blockstore';
import { cidFor, parseCid } from '@cairn/cid';
import { openLmdbPinStore } from '@cairn/pinning';
import { type RunningService, startService } from '@cairn/service-kit/testing';
import { importTree, profiles } from '@cairn/unixfs';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { freePort } from '../../../tools/peers/free-port.mjs';

const main = fileURLToPath(new URL('../dist/main.js', import.meta.url));
const peerMain = fileURLToPath(new URL('../../ipfs-peer/dist/main.js', import.meta.url));
const seconds = 4;
const file = randomBytes(3 * 1024 * 1024);
const page = '<!doctype html><title>remote</title>';
const missing = cidFor(randomBytes(100), { codec: 'raw' });
const authorization = `Basic ${Buffer.from('ann:secret-of-ann').toString('base64')}`;

async function* content(bytes: Uint8Array) {
  yield bytes;
}

/** Starts the peer of a home on loopback. */
async function startPeer(home: string, env: Readonly<Record<string, string>> = {}) {
  const peer = await startService({
    main: peerMain,
    home,
    env: {
      IPFS_PEER_LISTEN: '/ip4/127.0.0.1/tcp/0',
      IPFS_PEER_BOOTSTRAP: 'none',
      IPFS_PEER_ROUTING: 'none',
      IPFS_PEER_ALLOW_PRIVATE: 'yes',
      ...env,
    },
  });
  const line = peer.log.find(({ addresses }) => Array.isArray(addresses));
  const [address = ''] = (line?.addresses ?? []) as string[];
  return { peer, address: address.includes('/p2p/') ? address : `${address}/p2p/${line?.id}` };
}

describe('content that only another node has', () => {
  const [home, far] = ['near', 'far'].map((name) => mkdtempSync(join(tmpdir(), `cairn-gateway-${name}-`))) as [
    string,
    string,
  ];
  const services: RunningService[] = [];
  let site = '';
  let denied = '';
  let farAddress = '';
  const gateway = async (env: Readonly<Record<string, string>> = {}) => {
    const service = await startService({
      main,
      home,
      env: { IPFS_PEER_URL: services[1]?.url ?? '', IPFS_GATEWAY_FETCH_SECONDS: String(seconds), ...env },
    });
    services.push(service);
    return service;
  };

  beforeAll(async () => {
    const blocks = await openLmdbBlockstore({ directory: join(far, 'blocks') });
    const pins = await openLmdbPinStore({ directory: join(far, 'pins') });
    const pin = { mode: 'recursive', name: undefined, createdAt: 1, size: { blocks: 1, bytes: 1 } } as const;
    const entries = [
      { path: 'site/index.html', content: content(Buffer.from(page)) },
      { path: 'site/file.bin', content: content(file) },
    ];
    for await (const { cid, isRoot } of importTree(entries, blocks, profiles['unixfs-v1-2025']))
      if (isRoot) site = cid.toString();
    const bytes = randomBytes(100);
    const bad = cidFor(bytes, { codec: 'raw' });
    await blocks.putMany([{ cid: bad, bytes }]);
    denied = bad.toString();
    await pins.put('ben', [{ cid: parseCid(site), ...pin }]);
    await pins.put('ben', [{ cid: bad, ...pin }]);
    await blocks.sync();
    await blocks.close();
    await pins.close();
    const auth = new Auth({ store: await openLmdbAccountStore({ directory: join(home, 'accounts') }) });
    await auth.createAccount({ name: 'ann', plan: 'local' });
    await auth.attachCard('ann', { brand: 'visa', last4: '4242' });
    await auth.createKey('ann', { id: 'ann', secret: 'secret-of-ann' });
    await auth.close();
    mkdirSync(join(home, 'denylists'));
    writeFileSync(join(home, 'denylists', 'local.deny'), `/ipfs/${denied}\n`);
    const other = await startPeer(far);
    farAddress = other.address;
    services.push(other.peer);
    services.push((await startPeer(home, { IPFS_PEER_PEERING: other.address })).peer);
  });
  afterAll(async () => {
    for (const service of services.reverse()) await service.stop();
    for (const directory of [home, far]) rmSync(directory, { recursive: true, force: true });
  });

  test('public requests and only-if-cached do not fetch', async () => {
    const { url } = await gateway({ IPFS_GATEWAY_ACCESS: 'public' });
    const open = await fetch(`${url}/ipfs/${site}/`);
    expect(open.status).toBe(404);
    for (const directive of ['only-if-cached', 'no-transform, Only-If-Cached']) {
      const headers = { authorization, 'cache-control': directive };
      expect((await fetch(`${url}/ipfs/${site}/`, { headers })).status).toBe(412);
    }
    const none = await gateway({ IPFS_GATEWAY_FETCH: 'no' });
    expect((await fetch(`${none.url}/ipfs/${site}/`, { headers: { authorization } })).status).toBe(404);
  });

  test('a page and a file open for an account, and then for everybody from the store', async () => {
    const { url } = await gateway({ IPFS_GATEWAY_ACCESS: 'public' });
    expect((await fetch(`${url}/ipfs/${site}/file.bin`)).status).toBe(404);
    const opened = await fetch(`${url}/ipfs/${site}/`, { headers: { authorization } });
    expect([opened.status, await opened.text()]).toEqual([200, page]);
    const answer = await fetch(`${url}/ipfs/${site}/file.bin`, { headers: { authorization } });
    expect(answer.status).toBe(200);
    expect(Buffer.from(await answer.arrayBuffer()).equals(file)).toBe(true);
    const stored = await fetch(`${url}/ipfs/${site}/file.bin`);
    expect(Buffer.from(await stored.arrayBuffer()).equals(file)).toBe(true);
  });

  test('content that no node has gets 504 as text, and as a page in browsers', async () => {
    const { url } = await gateway();
    const answer = await fetch(`${url}/ipfs/${missing}`, { headers: { authorization } });
    expect([answer.status, await answer.text()]).toEqual([
      504,
      `block ${missing} was not found in the IPFS network within ${seconds} seconds: try again later, or check the CID\n`,
    ]);
    expect(answer.headers.get('cache-control')).toBeNull();
    expect(answer.headers.get('retry-after')).toBe('5');
    const browser = await fetch(`${url}/ipfs/${missing}`, { headers: { authorization, accept: 'text/html' } });
    expect(browser.status).toBe(504);
    expect(await browser.text()).toContain('The content did not arrive in time');
  });

  test('without an answer of the peer, missing content gets 502 early, and is fetched once the peer is back', async () => {
    const port = await freePort();
    const own = mkdtempSync(join(tmpdir(), 'cairn-gateway-alone-'));
    cpSync(join(home, 'accounts'), join(own, 'accounts'), { recursive: true });
    const env = { IPFS_PEER_URL: `http://127.0.0.1:${port}`, IPFS_GATEWAY_FETCH_SECONDS: '600' };
    const alone = await startService({ main, home: own, env });
    let peer: RunningService | undefined;
    try {
      const ask = () => fetch(`${alone.url}/ipfs/${site}/`, { headers: { authorization } });
      // The wait of 600 seconds would exceed the time of the test.
      const answer = await ask();
      expect([answer.status, answer.headers.get('retry-after'), await answer.text()]).toEqual([
        502,
        '5',
        `block ${site} is not stored here, and the IPFS peer of this gateway does not answer: try again later\n`,
      ]);
      expect((await ask()).status).toBe(502);
      ({ peer } = await startPeer(own, { IPFS_PEER_API_PORT: String(port), IPFS_PEER_PEERING: farAddress }));
      let last = await ask();
      while (last.status === 502) {
        await new Promise((resolve) => setTimeout(resolve, 100));
        last = await ask();
      }
      expect([last.status, await last.text()]).toEqual([200, page]);
    } finally {
      await alone.stop();
      await peer?.stop();
      rmSync(own, { recursive: true, force: true });
    }
  });

  test('denied content is not fetched', async () => {
    const { url } = await gateway();
    const answer = await fetch(`${url}/ipfs/${denied}`, { headers: { authorization } });
    expect(answer.status).toBe(410);
    const blocks = await openLmdbBlockstore({ directory: join(home, 'blocks') });
    expect(await blocks.has(parseCid(denied))).toBe(false);
    await blocks.close();
  });
});
