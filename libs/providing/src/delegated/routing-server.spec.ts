// Loads the Promise.withResolvers shim for Node 20.
import '@cairn/bitswap/libp2p';
import { cidFor } from '@cairn/cid';
import { createIpnsRecord, generateIpnsKey, ipnsNameText, verifyIpnsRecord } from '@cairn/ipns';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { peerIdFromString } from '@libp2p/peer-id';
import { peerBinary } from '../../../../tools/peers/binaries.mjs';
import { startDhtKubo } from '../dht/kubo-dht.fixture.ts';
import { createDelegatedRouter } from './delegated-router.ts';
import { serveRouting } from './http.fixture.ts';
import { createRoutingServer } from './routing-server.ts';

const own = cidFor(Buffer.from('own'), { codec: 'raw' });
const other = cidFor(Buffer.from('other'), { codec: 'raw' });
const id = '12D3KooWD3eckifWpRn9wQpMG9R9hX3sD158z7EqHWmweQAJU5SA';
const identity = { id, addresses: ['/ip4/203.0.113.5/tcp/4001', '/ip4/203.0.113.5/udp/4001/quic-v1'] };
const stored = new Map<string, Uint8Array>();
const routing = createRoutingServer({
  isProvided: async (cid) => cid.equals(own),
  identity: async () => identity,
  closest: async (key) =>
    key.multihash.bytes.length > 4
      ? [identity, { id: 'QmYyQSo1c1Ym7orWxLYvCrM2EmxFTANf8wXmmE7DWjhx5N', addresses: [] }]
      : [],
  names: {
    bytesMax: 10_240,
    get: async (name) => {
      const bytes = stored.get(ipnsNameText(name));
      return bytes && { bytes, ttlSeconds: 300, expiresAt: Date.now() + 3_600_000 };
    },
    put: async (name, bytes) => {
      try {
        verifyIpnsRecord(name, bytes);
      } catch (error) {
        return error instanceof Error ? error.message : 'invalid';
      }
      stored.set(ipnsNameText(name), bytes);
      return undefined;
    },
  },
});

const head = {
  method: 'HEAD',
  target: `/routing/v1/providers/${own}`,
  headers: {},
  body: async () => new Uint8Array(),
};

let url = '';
let close = async () => {};
beforeAll(async () => {
  ({ url, close } = await serveRouting(routing));
});
afterAll(() => close());

const get = async (path: string, headers: Record<string, string> = {}, method = 'GET') => {
  const response = await fetch(`${url}${path}`, { headers, method });
  return { status: response.status, headers: response.headers, text: await response.text() };
};

test('providers lists this node for content that it announces', async () => {
  const { status, headers, text } = await get(`/routing/v1/providers/${own}`);
  expect([status, headers.get('content-type'), headers.get('vary')]).toEqual([200, 'application/json', 'Accept']);
  expect(headers.get('cache-control')).toBe(
    'public, max-age=300, stale-while-revalidate=172800, stale-if-error=172800',
  );
  expect(headers.get('access-control-allow-origin')).toBe('*');
  expect(JSON.parse(text)).toEqual({
    Providers: [{ Schema: 'peer', ID: id, Addrs: identity.addresses, Protocols: ['transport-bitswap'] }],
  });
});

test('providers is empty with status 200 for other content (IPIP-513)', async () => {
  const { status, headers, text } = await get(`/routing/v1/providers/${other}`);
  expect([status, JSON.parse(text)]).toEqual([200, { Providers: [] }]);
  expect(headers.get('cache-control')).toContain('max-age=15,');
  const lines = await get(`/routing/v1/providers/${other}`, { accept: 'application/x-ndjson' });
  expect([lines.status, lines.text]).toEqual([200, '']);
});

test('providers streams one record per line on request', async () => {
  const { headers, text } = await get(`/routing/v1/providers/${own}`, { accept: 'application/x-ndjson, */*' });
  expect(headers.get('content-type')).toBe('application/x-ndjson');
  expect(text.split('\n')).toHaveLength(2);
  expect(JSON.parse(text)).toMatchObject({ Schema: 'peer', ID: id });
});

test.each([
  ['filter-addrs=tcp', ['/ip4/203.0.113.5/tcp/4001']],
  ['filter-addrs=!tcp', ['/ip4/203.0.113.5/udp/4001/quic-v1']],
  ['filter-addrs=quic-v1,tcp', identity.addresses],
  ['filter-addrs=ip4,!udp', ['/ip4/203.0.113.5/tcp/4001']],
  ['filter-addrs=webtransport', undefined],
  ['filter-addrs=unknown', undefined],
  ['filter-protocols=TRANSPORT-bitswap', identity.addresses],
  ['filter-protocols=transport-ipfs-gateway-http', undefined],
  ['filter-protocols=unknown', undefined],
  ['filter-protocols=unknown,transport-bitswap&filter-addrs=udp', ['/ip4/203.0.113.5/udp/4001/quic-v1']],
])('providers applies %s (IPIP-484)', async (query, expected) => {
  const { text } = await get(`/routing/v1/providers/${own}?${query}`);
  const { Providers } = JSON.parse(text) as { Providers: { Addrs: string[] }[] };
  expect(Providers.map(({ Addrs }) => Addrs)).toEqual(expected === undefined ? [] : [expected]);
});

test('closest peers lists found nodes by the hash of a CID or of a peer ID (IPIP-476)', async () => {
  for (const key of [own.toString(), id, peerIdFromString(id).toCID().toString()]) {
    const { status, headers, text } = await get(`/routing/v1/dht/closest/peers/${key}`);
    expect([status, headers.get('content-type')]).toEqual([200, 'application/json']);
    expect(headers.get('cache-control')).toContain('max-age=300,');
    const { Peers } = JSON.parse(text) as { Peers: unknown[] };
    expect(Peers).toHaveLength(2);
    expect(Peers[0]).toEqual({ Schema: 'peer', ID: id, Addrs: identity.addresses, Protocols: [] });
  }
  const filtered = await get(`/routing/v1/dht/closest/peers/${own}?filter-addrs=quic-v1`, {
    accept: 'application/x-ndjson',
  });
  expect(JSON.parse(filtered.text)).toMatchObject({ ID: id, Addrs: ['/ip4/203.0.113.5/udp/4001/quic-v1'] });
  expect(JSON.parse((await get('/routing/v1/dht/closest/peers/bafkqaaa')).text)).toEqual({ Peers: [] });
});

test('closest peers gives 501 from a router that does not search', async () => {
  const routing = createRoutingServer({ isProvided: async () => false, identity: async () => undefined });
  const target = `/routing/v1/dht/closest/peers/${own}`;
  const body = async () => new Uint8Array();
  expect((await routing.handle({ method: 'GET', target, headers: {}, body })).status).toBe(501);
});

test('HEAD reports the length of the body of GET', async () => {
  const { body } = await routing.handle({ ...head, method: 'GET' });
  const { headers, body: none } = await routing.handle(head);
  expect(headers['content-length']).toBe(String(body?.length));
  expect(none).toBeUndefined();
});

test('peers lists this node by all forms of its ID, and no other one', async () => {
  const cid = peerIdFromString(id).toCID().toString();
  for (const key of [id, cid]) {
    const { Peers } = JSON.parse((await get(`/routing/v1/peers/${key}`)).text) as { Peers: unknown[] };
    expect(Peers).toEqual([{ Schema: 'peer', ID: id, Addrs: identity.addresses, Protocols: ['transport-bitswap'] }]);
  }
  const unknown = 'QmYyQSo1c1Ym7orWxLYvCrM2EmxFTANf8wXmmE7DWjhx5N';
  expect(JSON.parse((await get(`/routing/v1/peers/${unknown}`)).text)).toEqual({ Peers: [] });
});

test.each([
  ['GET', '/routing/v1/providers/nothing', {}, 422],
  ['GET', '/routing/v1/providers/%ff', {}, 422],
  ['GET', '/routing/v1/peers/nothing', {}, 422],
  ['GET', `/routing/v1/providers/${own}`, { accept: 'text/html' }, 406],
  ['GET', '/routing/v1/dht/closest/peers/nothing', {}, 422],
  ['PUT', `/routing/v1/dht/closest/peers/${own}`, {}, 501],
  ['OPTIONS', `/routing/v1/dht/closest/peers/${own}`, {}, 204],
  ['GET', `/routing/v1/dht/closest/nodes/${own}`, {}, 400],
  ['GET', '/routing/v1/unknown/x', {}, 400],
  ['GET', '/routing/v2/providers/x', {}, 400],
  ['GET', `/routing/v1/providers/${own}/more`, {}, 400],
  ['PUT', '/routing/v1/providers/', {}, 501],
  ['DELETE', `/routing/v1/providers/${own}`, {}, 501],
  ['GET', `/routing/v1/ipns/${own}`, {}, 400],
  ['GET', `/routing/v1/ipns/${id}`, { accept: 'application/json' }, 406],
  ['PUT', `/routing/v1/ipns/${id}`, { 'content-type': 'application/json' }, 406],
  ['PUT', `/routing/v1/ipns/${id}`, { 'content-type': 'application/vnd.ipfs.ipns-record' }, 400],
  ['OPTIONS', `/routing/v1/providers/${own}`, {}, 204],
  ['HEAD', `/routing/v1/providers/${own}`, {}, 200],
] as const)('%s %s is answered with a status of the specification', async (method, path, headers, status) => {
  const response = await get(path, headers, method);
  expect(response.status).toBe(status);
  expect(response.headers.get('access-control-allow-origin')).toBe('*');
});

test('an IPNS record is stored after its verification, and returned with its time to live', async () => {
  const key = await generateIpnsKey({ type: 'ed25519' });
  const record = createIpnsRecord(key, {
    value: '/ipfs/bafkqabtimvwgy3yk',
    sequence: 1n,
    validUntilMs: Date.now() + 3_600_000,
    ttlNs: 300_000_000_000n,
  });
  const path = `/routing/v1/ipns/${ipnsNameText(key.name)}`;
  const missing = await get(path);
  expect([missing.status, missing.headers.get('content-type')]).toEqual([200, 'text/plain; charset=utf-8']);
  const put = (body: Uint8Array) =>
    fetch(`${url}${path}`, {
      method: 'PUT',
      headers: { 'content-type': 'application/vnd.ipfs.ipns-record' },
      body: new Uint8Array(body),
    });
  expect((await put(record.slice(0, -1))).status).toBe(400);
  expect((await put(new Uint8Array(20_000))).status).toBe(400);
  expect((await put(record)).status).toBe(200);
  const response = await fetch(`${url}${path}`, { headers: { accept: 'application/vnd.ipfs.ipns-record' } });
  // Caches must not keep the record longer than it is valid: an hour here.
  expect(response.headers.get('cache-control')).toMatch(
    /^public, max-age=300, stale-while-revalidate=3[56]\d\d, stale-if-error=3[56]\d\d$/,
  );
  expect(response.headers.get('content-disposition')).toBe(
    `attachment; filename="${ipnsNameText(key.name)}.ipns-record"`,
  );
  expect(Buffer.from(await response.arrayBuffer()).equals(Buffer.from(record))).toBe(true);
});

test('the client of Helia reads providers and peers', async () => {
  const { delegatedRoutingV1HttpApiClient } = await import('@helia/delegated-routing-v1-http-api-client');
  const { defaultLogger } = await import('@libp2p/logger');
  const client = delegatedRoutingV1HttpApiClient({ url })({ logger: defaultLogger() });
  const found: string[] = [];
  for await (const record of client.getProviders(own)) found.push(`${record.ID} ${record.Addrs.length}`);
  for await (const record of client.getPeers(peerIdFromString(id).toCID())) found.push(`${record.ID}`);
  const text = peerIdFromString(id).toCID().toString();
  expect(found).toEqual([`${text} 2`, text]);
  for await (const record of client.getProviders(other)) expect(record).toBeUndefined();
});

test('createDelegatedRouter reads providers and peers', async () => {
  const router = createDelegatedRouter({ url });
  const found = [];
  for await (const provider of router.findProviders(own)) found.push(provider);
  expect(found).toEqual([{ peer: id, addresses: identity.addresses }]);
  expect(await router.findPeer(id)).toEqual(found[0]);
  for await (const provider of router.findProviders(other)) expect(provider).toBeUndefined();
});

const describeWithKubo = peerBinary('kubo') === undefined ? describe.skip : describe;
describeWithKubo('Kubo with delegated routing', () => {
  test('finds this node', async () => {
    const kubo = await startDhtKubo({ Type: 'delegated', DelegatedRouters: [url] });
    if (kubo === undefined) throw new Error('There is no Kubo.');
    try {
      expect(await kubo.findProviders(own.toString())).toEqual([id]);
      expect(await kubo.findProviders(other.toString())).toEqual([]);
    } finally {
      await kubo.stop();
    }
  });
});
