import '@cairn/bitswap/libp2p';
import { createHash } from 'node:crypto';
import { cidFor } from '@cairn/cid';
import { generateIpnsKey, peerIdText, signWith } from '@cairn/ipns';
import { afterEach, expect, test } from '@jest/globals';
import { peerIdFromString } from '@libp2p/peer-id';
import { keyOf } from '../keyspace.ts';
import { createDelegatedAnnouncer } from './delegated-announcer.ts';
import { createDelegatedRouter } from './delegated-router.ts';
import { readBody, serveHttp } from './http.fixture.ts';
import { createKuboAnnouncer } from './kubo-announcer.ts';

const cid = cidFor(Buffer.from('content'), { codec: 'raw' });
const record = { multihash: cid.multihash.bytes, key: keyOf(cid.multihash.bytes) };
const id = '12D3KooWD3eckifWpRn9wQpMG9R9hX3sD158z7EqHWmweQAJU5SA';
const closes: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closes.splice(0)) await close();
});

type Handle = Parameters<typeof serveHttp>[0];
const serve = async (handle: Handle) => {
  const { url, close } = await serveHttp(handle);
  closes.push(close);
  return url;
};
const answer = (status: number, type: string, body: string): Promise<string> =>
  serve((_, response) => response.writeHead(status, { 'content-type': type }).end(body));
const providersFrom = async (url: string) => {
  const found = [];
  for await (const provider of createDelegatedRouter({ url }).findProviders(cid)) found.push(provider);
  return found;
};
const peer = { Schema: 'peer', ID: id, Addrs: ['/ip4/203.0.113.5/tcp/4001'] };

test.each(['', '/', '/routing/v1', '/routing/v1/'])(
  'a router is asked under its address with %j at the end',
  async (end) => {
    const paths: string[] = [];
    const url = await serve((request, response) => {
      paths.push(String(request.url));
      response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify({ Providers: [peer] }));
    });
    expect(await providersFrom(`${url}${end}`)).toHaveLength(1);
    expect(paths).toEqual([`/routing/v1/providers/${cid}`]);
  },
);

test('records of unknown schemas, wrong peer IDs and wrong addresses are left out', async () => {
  const records = [
    { ...peer, Schema: 'other' },
    { ...peer, ID: 'x'.repeat(5000) },
    { ...peer, ID: 7, Addrs: 'none' },
    { ...peer, Addrs: ['/ip4/203.0.113.5/tcp/4001', '/nonsense/1', 5, 'x'.repeat(3000)] },
    { Schema: 'peer', Addrs: ['/dns4/gateway.example/tcp/443/https'] },
    { Schema: 'bitswap', ID: id },
  ];
  const expected = [
    { addresses: ['/ip4/203.0.113.5/tcp/4001'] },
    { peer: id, addresses: ['/ip4/203.0.113.5/tcp/4001'] },
    { addresses: ['/dns4/gateway.example/tcp/443/https'] },
    { peer: id, addresses: [] },
  ];
  const lines = records.map((item) => `${JSON.stringify(item)}\n`).join('');
  expect(await providersFrom(await answer(200, 'application/x-ndjson', lines))).toEqual(expected);
  const list = JSON.stringify({ Providers: [...records, null, 3] });
  expect(await providersFrom(await answer(200, 'application/json; charset=utf-8', list))).toEqual(expected);
});

test.each([
  [404, 'text/plain', 'not found'],
  [200, 'text/plain', 'routing: not found'],
  [200, 'application/json', '{"Providers":null}'],
  [200, 'application/json', '{}'],
  [200, 'application/x-ndjson', ''],
])('an answer %i with %s means no providers', async (status, type, body) => {
  expect(await providersFrom(await answer(status, type, body))).toEqual([]);
});

test.each([
  [500, 'text/plain', 'oops'],
  [200, 'text/html', '<p>'],
  [200, 'application/json', '[1'],
  [200, 'application/json', '{"Providers":{}}'],
  [200, 'application/json', JSON.stringify({ Providers: ['x'.repeat(5_000_000)] })],
  [200, 'application/x-ndjson', `${JSON.stringify(peer)}\nnonsense\n`],
  [200, 'application/x-ndjson', 'x'.repeat(100_000)],
])('an answer %i with %s of wrong content throws ROUTER_ANSWER_INVALID', async (status, type, body) => {
  await expect(providersFrom(await answer(status, type, body))).rejects.toMatchObject({
    code: 'ROUTER_ANSWER_INVALID',
  });
});

test('an endless answer is read up to the limit of records', async () => {
  let isClosed = false;
  const url = await serve((_, response) => {
    response.writeHead(200, { 'content-type': 'application/x-ndjson' });
    response.once('close', () => {
      isClosed = true;
    });
    const write = () => {
      while (!isClosed && response.write(`${JSON.stringify(peer)}\n`));
    };
    response.on('drain', write);
    write();
  });
  expect(await providersFrom(url)).toHaveLength(100);
  while (!isClosed) await new Promise((resolve) => setTimeout(resolve, 10));
});

test('a redirect is refused', async () => {
  let isFollowed = false;
  const inner = await serve((_, response) => {
    isFollowed = true;
    response.end();
  });
  const url = await serve((_, response) => response.writeHead(302, { location: inner }).end());
  await expect(providersFrom(url)).rejects.toMatchObject({ code: 'ROUTING_UNAVAILABLE' });
  expect(isFollowed).toBe(false);
});

test('a router that does not answer throws ROUTING_UNAVAILABLE without its path', async () => {
  const failure = await providersFrom('http://127.0.0.1:1/secret-path').catch((error: Error) => error.message);
  expect(failure).toBe('The routing system cannot be reached: the router 127.0.0.1:1 does not answer.');
});

test('announcements are signed bitswap records (IPIP-526)', async () => {
  const key = await generateIpnsKey({ type: 'ed25519' });
  let body = '';
  const url = await serve(async (request, response) => {
    body = `${request.method} ${request.url} ${await readBody(request)}`;
    response.writeHead(200, { 'content-type': 'application/json' }).end('{"ProvideResults":[{}]}');
  });
  const announcer = createDelegatedAnnouncer({
    url,
    peer: peerIdText(key.name),
    addresses: () => ['/ip4/203.0.113.5/tcp/4001'],
    sign: (bytes) => signWith(key, bytes),
    now: () => 1_700_000_000_000,
  });
  const region = await announcer.openRegion(record);
  expect(await region.announce([record])).toEqual([true]);
  const [method, path, text = ''] = body.split(' ');
  expect([method, path]).toEqual(['PUT', '/routing/v1/providers/']);
  const { Providers } = JSON.parse(text) as { Providers: { Signature: string; Payload: Record<string, unknown> }[] };
  const [{ Signature, Payload } = { Signature: '', Payload: {} }] = Providers;
  expect(Payload).toEqual({
    Keys: [cid.toString()],
    Timestamp: 1_700_000_000_000,
    AdvisoryTTL: 172_800_000_000_000,
    ID: peerIdText(key.name),
    Addrs: ['/ip4/203.0.113.5/tcp/4001'],
  });
  const raw = text.slice(text.indexOf('"Payload":') + 10, -3);
  const { publicKey } = peerIdFromString(peerIdText(key.name));
  const signature = Buffer.from(Signature.slice(1), 'base64');
  expect(await publicKey?.verify(createHash('sha256').update(raw).digest(), signature)).toBe(true);
});

test.each([
  [400, false],
  [501, undefined],
])('an announcement that a router answers with %i is not counted', async (status, expected) => {
  const url = await answer(status, 'text/plain', 'no');
  const announcer = createDelegatedAnnouncer({ url, peer: id, addresses: () => [], sign: () => new Uint8Array(64) });
  const region = await announcer.openRegion(record);
  const done = region.announce([record]).catch((error: { code: string }) => error.code);
  expect(await done).toEqual(expected === undefined ? 'ROUTING_UNAVAILABLE' : [expected]);
});

test('announcements by a Kubo name all blocks, and an error event fails them', async () => {
  let asked = '';
  let event = '{"Type":0}';
  const url = await serve((request, response) => {
    asked = `${request.method} ${request.url} ${request.headers.authorization}`;
    response.writeHead(200, { 'content-type': 'application/json' }).end(`${event}\n`);
  });
  const region = await createKuboAnnouncer({ url, authorization: 'Bearer t' }).openRegion(record);
  expect(await region.announce([record, record])).toEqual([true, true]);
  expect(asked).toBe(`POST /api/v0/routing/provide?arg=${cid}&arg=${cid} Bearer t`);
  event = '{"Extra":"cannot provide","ID":"","Responses":null,"Type":3}';
  expect(await region.announce([record])).toEqual([false]);
});
