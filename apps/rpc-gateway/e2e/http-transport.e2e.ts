import { request as httpRequest } from 'node:http';
import { connect } from 'node:net';
import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { type Answer, call, type Gateway, key, post, startGateway, suspendedKey, until, withAuth } from './gateway.ts';
import { sample, sampleEntry } from './sample-network.ts';

let gateway: Gateway;
beforeAll(async () => {
  gateway = await startGateway({
    networks: [
      { ...sampleEntry, hosts: ['sample.example'] },
      { ...sampleEntry, name: 'second', hosts: ['second.example'], blocks: [] },
    ],
    env: { CAIRN_RPC_BODY_BYTES_MAX: '4096', CAIRN_CORS_ORIGINS: 'https://app.example' },
  });
});
afterAll(() => gateway?.stop());

const line = (method: string, id?: unknown, params: unknown = []) =>
  JSON.stringify({ jsonrpc: '2.0', id, method, params });
const answersOf = async (body: string) => (await (await post(gateway.url, body)).json()) as Answer[];
const keyUrl = (other: string) => gateway.url.replace(key, other);

/** Sends a request with a chosen Host header, which `fetch` does not allow. */
const postTo = (host: string, path = `/v3/${key}`) =>
  new Promise<{ status: number | undefined; body: Answer }>((resolve, reject) => {
    const request = httpRequest(
      {
        port: gateway.port,
        host: '127.0.0.1',
        path,
        method: 'POST',
        headers: { host, 'content-type': 'application/json' },
      },
      (response) => {
        let text = '';
        response.setEncoding('utf8');
        response.on('data', (chunk: string) => {
          text += chunk;
        });
        response.on('end', () => resolve({ status: response.statusCode, body: JSON.parse(text) }));
      },
    );
    request.on('error', reject);
    request.end(line('eth_blockNumber', 1));
  });

describe('JSON-RPC', () => {
  test('returns results of simple methods', async () => {
    const results = await Promise.all(
      ['eth_chainId', 'net_version', 'eth_blockNumber', 'eth_syncing', 'eth_accounts', 'net_listening'].map(
        async (method) => (await call(gateway.url, method)).result,
      ),
    );
    expect(results).toEqual([`0x${sample.chainId.toString(16)}`, String(sample.chainId), '0x18', false, [], true]);
    expect((await call(gateway.url, 'web3_clientVersion')).result).toMatch(/^Cairn\/v\d/);
  });

  test('returns the same block by hash and by number, and null for an unknown block', async () => {
    const byHash = await call(gateway.url, 'eth_getBlockByHash', [sample.head, true]);
    expect(byHash.result).toMatchObject({ hash: sample.head, number: '0x18' });
    expect((await call(gateway.url, 'eth_getBlockByNumber', ['latest', true])).result).toEqual(byHash.result);
    expect((await call(gateway.url, 'eth_getBlockByHash', [`0x${'00'.repeat(32)}`, false])).result).toBeNull();
    expect((await call(gateway.url, 'eth_getBlockByNumber', ['0x19', false])).result).toBeNull();
  });

  test('answers a batch in order with results and errors, without notifications', async () => {
    const batch = [
      line('eth_chainId', 'a'),
      line('eth_blockNumber'),
      line('eth_getBlockByHash', 2, ['0x12', false]),
      line('eth_nonsense', null),
      '7',
      line('net_version', 1.5),
    ];
    expect(await answersOf(`[${batch.join(',')}]`)).toMatchObject([
      { id: 'a', result: `0x${sample.chainId.toString(16)}` },
      { id: 2, error: { code: -32602, message: expect.stringContaining('Parameter 1, hash') } },
      { id: null, error: { code: -32601 } },
      { id: null, error: { code: -32600 } },
      { id: 1.5, result: String(sample.chainId) },
    ]);
  });

  test('refuses a batch above the limit as a whole', async () => {
    const body = `[${Array.from({ length: 1001 }, () => '{}').join(',')}]`;
    expect(await (await post(gateway.url, body)).json()).toMatchObject({
      error: { code: -32005, data: { limit: 'batch', batchLengthMax: 1000 } },
    });
  });

  test('answers notifications with 204 and no body', async () => {
    const response = await post(gateway.url, line('eth_chainId'));
    expect([response.status, await response.text()]).toEqual([204, '']);
  });

  test.each(['9007199254740993', '"a\\u0062"', '0', '-1', 'null'])(
    'the id %s comes back as it was sent',
    async (id) => {
      const text = await (await post(gateway.url, `{"jsonrpc":"2.0","id":${id},"method":"eth_chainId"}`)).text();
      // A string may be returned in another notation; a number is returned unchanged.
      if (id.startsWith('"')) expect(JSON.parse(text).id).toBe(JSON.parse(id));
      else expect(text).toContain(`"id":${id},`);
    },
  );

  test.each(['eth_sendTransaction', 'personal_sign', 'eth_sign'])(
    '%s does not exist, and the message says why',
    async (method) => {
      expect((await call(gateway.url, method, ['0x00'])).error).toMatchObject({
        code: -32601,
        message: expect.stringContaining('signs nothing'),
      });
    },
  );

  test('answers broken and deep JSON with status 200 and their codes', async () => {
    const broken = await post(gateway.url, '{"jsonrpc"');
    expect([broken.status, await broken.json()]).toMatchObject([200, { id: null, error: { code: -32700 } }]);
    expect(await (await post(gateway.url, '['.repeat(2000))).json()).toMatchObject({ error: { code: -32005 } });
  });
});

describe('the HTTP transport', () => {
  test.each([
    ['a wrong key', 'wrong-key', 401],
    ['no key', '', 401],
    ['a deeper path', `${key}/more`, 401],
    ['a suspended account', suspendedKey, 403],
  ])('refuses %s', async (_, given, status) => {
    const response = await post(keyUrl(given), line('eth_chainId', 1));
    expect(response.status).toBe(status);
    expect(await response.json()).toMatchObject({ jsonrpc: '2.0', id: null, error: { code: -32001 } });
  });

  test('names the expected path to a client without a path', async () => {
    const { origin } = new URL(gateway.url);
    const response = await post(origin, line('eth_chainId', 1));
    expect([response.status, await response.json()]).toMatchObject([
      401,
      { id: null, error: { code: -32001, message: 'The path has no API key; expected /v3/<API_KEY>.' } },
    ]);
    expect((await fetch(origin)).status).toBe(200);
  });

  test('ignores an offer of HTTP/2, as the client of Java sends it', async () => {
    const socket = connect(gateway.port, '127.0.0.1');
    const body = line('eth_chainId', 1);
    socket.write(
      `POST /v3/${key} HTTP/1.1\r\nConnection: Upgrade, HTTP2-Settings, close\r\nContent-Length: ${body.length}\r\n` +
        `Host: localhost\r\nHTTP2-Settings: AAEAAEAA\r\nUpgrade: h2c\r\nContent-Type: application/json\r\n\r\n${body}`,
    );
    let received = '';
    for await (const chunk of socket) received += chunk;
    expect(received).toMatch(/^HTTP\/1\.1 200 OK\r\n/);
    expect(received).toContain('"result":"0x2e3d1f0"');
  });

  test('refuses a revoked key within a second', async () => {
    await withAuth(gateway.home, async (auth) => void (await auth.createKey('caller', { id: 'short-lived' })));
    expect((await post(keyUrl('short-lived'), line('eth_chainId', 1))).status).toBe(200);
    await withAuth(gateway.home, async (auth) => void (await auth.revokeKey('short-lived')));
    const isRefused = async () => (await post(keyUrl('short-lived'), line('eth_chainId', 1))).status === 401;
    await until(isRefused, 'the refusal of the key', 1000);
  });

  test('refuses other methods than POST, other content types and long bodies', async () => {
    const get = await fetch(gateway.url);
    expect([get.status, get.headers.get('allow')]).toEqual([405, 'POST, OPTIONS']);
    expect((await post(gateway.url, '{}', { 'content-type': 'text/plain' })).status).toBe(415);
    const long = await post(gateway.url, ' '.repeat(4097));
    expect([long.status, await long.json()]).toMatchObject([413, { error: { code: -32005 } }]);
    expect((await post(gateway.url, line('eth_chainId', 1))).status).toBe(200);
  });

  test.each([
    ['4097', ['413 Payload Too Large']],
    ['2', ['100 Continue', '200 OK']],
  ])('answers Expect: 100-continue for %s bytes with %j', async (length, statuses) => {
    const socket = connect(gateway.port, '127.0.0.1');
    socket.write(
      `POST /v3/${key} HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n` +
        `Expect: 100-continue\r\nConnection: close\r\nContent-Length: ${length}\r\n\r\n`,
    );
    let received = '';
    for await (const chunk of socket) {
      received += chunk;
      if (received.endsWith('100 Continue\r\n\r\n')) socket.write('[]');
    }
    expect(Array.from(received.matchAll(/HTTP\/1\.1 (.*)\r/g), ([, status]) => status)).toEqual(statuses);
  });

  test('accepts compressed bodies and compresses long answers on request', async () => {
    const send = (body: Buffer, headers: Record<string, string>) =>
      fetch(gateway.url, { method: 'POST', body, headers: { 'content-type': 'application/json', ...headers } });
    const block = Buffer.from(line('eth_getBlockByHash', 1, [sample.head, true]));
    const plain = await send(block, { 'accept-encoding': 'identity' });
    expect([plain.headers.get('content-encoding'), plain.status]).toEqual([null, 200]);
    const expected = await plain.json();
    for (const [encoding, pack] of [
      ['gzip', gzipSync],
      ['deflate', deflateSync],
      ['br', brotliCompressSync],
    ] as const) {
      const answer = await send(pack(block), { 'content-encoding': encoding, 'accept-encoding': 'gzip' });
      expect(await answer.json()).toEqual(expected);
    }
    // Short answers are not compressed, and a weight of 0 refuses compression.
    const small = await send(Buffer.from(line('eth_chainId', 1)), { 'accept-encoding': 'gzip' });
    expect(small.headers.get('content-encoding')).toBeNull();
    const bomb = gzipSync(Buffer.alloc(64 * 1024 * 1024, 0x20));
    const refused = await send(bomb.subarray(0, 4000), { 'content-encoding': 'gzip' });
    expect(refused.status).toBe(413);
    expect((await send(block, { 'content-encoding': 'gzip' })).status).toBe(400);
    const unknown = await send(block, { 'content-encoding': 'zstd' });
    expect([unknown.status, unknown.headers.get('accept-encoding')]).toEqual([415, 'gzip, deflate, br']);
  });

  test('selects the network by host: the first for loopback, 404 for unknown hosts', async () => {
    expect(await postTo('SAMPLE.example:8545')).toMatchObject({ status: 200, body: { result: '0x18' } });
    expect(await postTo('second.example')).toMatchObject({ status: 200, body: { result: '0x0' } });
    expect(await postTo('localhost')).toMatchObject({ status: 200, body: { result: '0x18' } });
    const absolute = await postTo('localhost', `http://second.example/v3/${key}`);
    expect(absolute).toMatchObject({ status: 200, body: { result: '0x0' } });
    expect(await postTo('other.example')).toMatchObject({
      status: 404,
      body: {
        error: { code: -32001, message: expect.stringContaining('Known hosts: sample.example, second.example') },
      },
    });
  });

  test('serves its OpenRPC document as JSON and as a page', async () => {
    const { origin } = new URL(gateway.url);
    const answer = await post(gateway.url, '{"jsonrpc":"2.0","id":1,"method":"rpc.discover"}');
    const { result } = (await answer.json()) as { result: object };
    expect(await (await fetch(`${origin}/openrpc.json`)).json()).toEqual(result);
    const page = await fetch(`${origin}/docs`);
    expect(page.headers.get('content-type')).toBe('text/html; charset=utf-8');
    expect(await page.text()).toContain('<section id="eth_call">');
  });

  test('allows only listed origins to call from a browser', async () => {
    const preflight = (origin: string) => fetch(gateway.url, { method: 'OPTIONS', headers: { origin } });
    expect((await preflight('https://app.example')).headers.get('access-control-allow-origin')).toBe(
      'https://app.example',
    );
    expect((await preflight('https://evil.example')).headers.get('access-control-allow-origin')).toBeNull();
  });

  test('logs each request without its key', async () => {
    await call(gateway.url, 'eth_chainId');
    expect(gateway.log.join('\n')).toContain('"calls":{"eth_chainId":1}');
    expect(gateway.log.join('\n')).not.toContain(key);
  });
});
