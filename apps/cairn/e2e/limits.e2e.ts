import { connect } from 'node:net';
import { Auth } from '@cairn/auth';
import { type Plan, type PlanStore, parsePlan } from '@cairn/metering';
import type { RunningService } from '@cairn/service-kit/testing';
import type { Stores } from '@cairn/stores';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { WebSocket } from 'undici';
import { Deployment } from './deployment.ts';
import { recount, totals } from './ledger.ts';

interface Key {
  readonly id: string;
  readonly secret: string;
}

interface RpcAnswer {
  readonly id: number;
  readonly result?: unknown;
  readonly error?: { readonly code: number; readonly message: string; readonly data?: Record<string, unknown> };
}

const deployment = new Deployment();
const { cairn } = deployment;
let stores: Stores;
/** Two gateways and a storage process over one home, or three of each on engines. */
let gateways: readonly [RunningService, RunningService, ...RunningService[]];
let storages: readonly RunningService[];
let auth: Auth;
let plans: PlanStore;
let canaries: string[];

beforeAll(async () => {
  canaries = [];
  await deployment.open();
  stores = deployment.stores();
  auth = new Auth({ store: await stores.accounts() });
  plans = await stores.plans();
  // Over one home the first process imports the sample network; the second opens it.
  gateways = [await start('rpc-gateway'), await start('rpc-gateway')];
  storages = [await start('storage-api')];
  if (!deployment.isDistributed) return;
  gateways = [...gateways, await start('rpc-gateway')];
  storages = [...storages, await start('storage-api'), await start('storage-api')];
});
afterAll(async () => {
  await deployment.stop();
  await plans?.close();
  await auth?.close();
  await deployment.remove();
});

function start(name: 'rpc-gateway' | 'storage-api'): Promise<RunningService> {
  return deployment.start(name, { STORAGE_API_ADMIN_PORT: '0', RPC_GATEWAY_ADMIN_PORT: '0' });
}

/** Creates an account with its own plan, a card and a key. */
async function customer(name: string, limits: Omit<Partial<Plan>, 'name'> = {}): Promise<Key> {
  await plans.put(parsePlan({ name, ...limits }));
  await auth.createAccount({ name, plan: name });
  await auth.attachCard(name, { brand: 'visa', last4: '4242' });
  const { key, secret } = await auth.createKey(name);
  canaries.push(key.id, secret);
  // Plans are read four times a second, later on a busy machine.
  await new Promise((resolve) => setTimeout(resolve, 1_500));
  return { id: key.id, secret };
}

function inTurn(index: number): RunningService {
  return gateways[index % gateways.length] ?? gateways[0];
}

function rpc(service: RunningService, { id }: Key, body: unknown): Promise<Response> {
  return fetch(`${service.url}/v3/${id}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
}
const request = (id = 1, method = 'eth_chainId') => ({ jsonrpc: '2.0', id, method, params: [] });
const batch = (length: number) => Array.from({ length }, (_, index) => request(index));

let nextStorage = 0;
/** Sends a command to the next storage process. */
function kubo({ id, secret }: Key, command: string, body?: FormData): Promise<Response> {
  const authorization = `Basic ${Buffer.from(`${id}:${secret}`).toString('base64')}`;
  const storage = storages[nextStorage++ % storages.length];
  return fetch(`${storage?.url}/api/v0/${command}`, {
    method: 'POST',
    headers: { authorization },
    ...(body && { body }),
  });
}

function file(bytes: number): FormData {
  const form = new FormData();
  form.set('file', new Blob([new Uint8Array(bytes).fill(7)]), 'seven.bin');
  return form;
}

describe('limits', () => {
  test('batches, connections, processes and services share a burst, and the refusal has all headers', async () => {
    const key = await customer('burst', { requestsPerSecond: 1, burst: 60 });
    const begun = performance.now();
    const answers = await Promise.all([
      ...[0, 1, 2, 3].map(async (index) => (await rpc(inTurn(index), key, batch(20))).json()),
      ...Array.from({ length: 10 }, async () => {
        const { status } = await kubo(key, 'version');
        return [status === 200 ? { result: 1 } : { error: { code: status } }];
      }),
    ]);
    const results = (answers as RpcAnswer[][]).flat();
    const admitted = results.filter(({ error }) => error === undefined).length;
    // Each elapsed second admits one more.
    const elapsedSeconds = Math.ceil((performance.now() - begun) / 1000);
    expect(admitted).toBeGreaterThanOrEqual(58);
    expect(admitted).toBeLessThanOrEqual(61 + elapsedSeconds);
    const refusal = results.find(({ error }) => error?.code === -32005)?.error;
    expect(refusal).toMatchObject({
      message: expect.stringContaining('1 requests a second'),
      data: { limit: 'requestsPerSecond', allowed: 1, plan: 'burst', used: 60, retryAfterSeconds: expect.any(Number) },
    });
    const alone = await rpc(gateways[0], key, request());
    expect(alone.status).toBe(429);
    expect(Number(alone.headers.get('retry-after'))).toBeGreaterThan(0);
    expect(alone.headers.get('ratelimit-policy')).toBe('"requests";q=60;w=60');
    expect(alone.headers.get('ratelimit')).toMatch(/^"requests";r=0;t=\d+$/);
    expect(await alone.json()).toMatchObject({ error: { code: -32005, data: { limit: 'requestsPerSecond' } } });
    const refused = await kubo(key, 'version');
    expect(refused.status).toBe(429);
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
    expect(refused.headers.get('ratelimit-policy')).toBe('"requests";q=60;w=60');
    expect(await refused.json()).toMatchObject({ Type: 'error', Code: 3, Message: expect.stringContaining('burst') });
  });

  test('over WebSocket a refusal is an answer, and connections have their own limit', async () => {
    const key = await customer('sockets', { webSockets: 1, creditsPerDay: 3 });
    const url = `${gateways[0].url.replace('http', 'ws')}/ws/v3/${key.id}`;
    const socket = new WebSocket(url);
    await new Promise((resolve, reject) => {
      socket.addEventListener('open', resolve);
      socket.addEventListener('error', reject);
    });
    const second = new WebSocket(url.replace(gateways[0].url.slice(7), gateways[1].url.slice(7)));
    const failed = new Promise((resolve) => second.addEventListener('error', resolve));
    await failed;
    const answers: RpcAnswer[] = [];
    const done = new Promise<void>((resolve) =>
      socket.addEventListener('message', ({ data }) => {
        answers.push(JSON.parse(String(data)) as RpcAnswer);
        if (answers.length === 5) resolve();
      }),
    );
    for (let id = 0; id < 5; id++) socket.send(JSON.stringify(request(id)));
    await done;
    const refused = answers.filter(({ error }) => error !== undefined);
    expect(refused).toHaveLength(2);
    expect(refused[0]?.error).toMatchObject({ code: -32005, data: { limit: 'creditsPerDay', allowed: 3, used: 3 } });
    const closed = new Promise((resolve) => socket.addEventListener('close', resolve));
    socket.close();
    await closed;
  });

  test('gas and bytes of a call reduce the credits of the next call', async () => {
    const key = await customer('expensive', { creditsPerDay: 50 });
    // Two million rounds of JUMPDEST PUSH1 0 JUMP, until 20 million gas are used.
    const call = {
      jsonrpc: '2.0',
      id: 1,
      method: 'eth_call',
      params: [
        { from: `0x${'11'.repeat(20)}`, to: `0x${'22'.repeat(20)}`, gas: '0x1312d00' },
        'latest',
        { [`0x${'22'.repeat(20)}`]: { code: '0x5b600056' } },
      ],
    };
    const first = (await (await rpc(gateways[0], key, call)).json()) as RpcAnswer;
    expect(first.error?.message).toContain('out of gas');
    const next = (await (await rpc(gateways[0], key, request())).json()) as RpcAnswer;
    expect(next.error).toMatchObject({ code: -32005, data: { limit: 'creditsPerDay' } });
  });

  test('a body of an account without credits is refused before it is read, and its bytes are charged', async () => {
    const poor = await customer('poor', { creditsPerDay: 0 });
    const { port } = new URL(gateways[0].url);
    const answer = await new Promise<string>((resolve, reject) => {
      const socket = connect(Number(port), '127.0.0.1').on('error', reject);
      // The head only: an early answer does not depend on the body.
      socket.write(
        `POST /v3/${poor.id} HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\ncontent-length: 4700000\r\n\r\n`,
      );
      socket.once('data', (bytes) => {
        resolve(bytes.toString());
        socket.destroy();
      });
    });
    expect(answer).toMatch(/^HTTP\/1\.1 429 /);
    const rich = await customer('rich', { creditsPerDay: 50 });
    const long = { ...request(), params: ['x'.repeat(4_700_000)] };
    expect((await rpc(gateways[0], rich, long)).status).toBe(200);
    const next = await rpc(gateways[0], rich, { ...long, params: ['x'.repeat(600_000)] });
    expect(next.status).toBe(429);
    expect(await next.json()).toMatchObject({ error: { code: -32005, data: { limit: 'creditsPerDay', used: 46 } } });
  });

  test('an upload beyond the daily bytes ends with 429 and stores nothing', async () => {
    const key = await customer('narrow', { bytesInPerDay: 1024 * 1024 });
    const small = await kubo(key, 'add', file(1000));
    expect(small.status).toBe(200);
    const form = new FormData();
    // Slower than the interval of the limit checks.
    form.set('file', new Blob([new Uint8Array(40 * 1024 * 1024)]), 'large.bin');
    const large = await kubo(key, 'add?pin=true', form).catch((error: Error) => error);
    const again = await kubo(key, 'version');
    expect(again.status).toBe(429);
    expect(await again.json()).toMatchObject({ Message: expect.stringContaining('bytes received a day') });
    // A machine that receives 40 MiB within one interval has finished before the check.
    if (large instanceof Response && large.status === 200) return;
    const pins = await cairn.json<{ pins: number }>('account', 'usage', 'narrow');
    expect(pins.pins).toBe(1);
  });

  test('a plan allows the methods that it lists', async () => {
    const key = await customer('few', { methods: ['eth_chainId'] });
    const answers = (await (
      await rpc(gateways[1], key, [request(1), request(2, 'eth_blockNumber')])
    ).json()) as RpcAnswer[];
    expect(answers).toMatchObject([{ result: expect.any(String) }, { error: { code: -32004 } }]);
  });

  test('a plan limits the stored bytes', async () => {
    const key = await customer('shelf', { storedBytes: 100_000 });
    expect((await kubo(key, 'add', file(50_000))).status).toBe(200);
    const refused = await kubo(key, 'add', file(200_000));
    expect(refused.status).toBe(403);
    expect(await refused.json()).toMatchObject({ Message: expect.stringContaining('quota') });
  });

  test('concurrent requests beyond the limit get 429, and a killed process releases its permits', async () => {
    const key = await customer('few-at-once', { concurrentRequests: 2 });
    const doomed = await start('rpc-gateway');
    // Traces run on the reference engine: a loop with all gas runs until the time limit of some seconds.
    const stateOverrides = { [`0x${'22'.repeat(20)}`]: { code: '0x5b600056' } };
    const slow = {
      ...request(1, 'debug_traceCall'),
      params: [
        { from: `0x${'11'.repeat(20)}`, to: `0x${'22'.repeat(20)}`, gas: '0xffffffff' },
        'latest',
        { tracer: 'noopTracer', stateOverrides },
      ],
    };
    const held = [1, 2, 3].map(() => rpc(doomed, key, slow).catch(() => undefined));
    // The first answer is the refusal: the other two requests still run.
    expect((await Promise.race(held))?.status).toBe(429);
    const refused = await rpc(gateways[0], key, request());
    expect(refused.status).toBe(429);
    expect(await refused.json()).toMatchObject({
      error: { code: -32005, data: { limit: 'concurrentRequests', used: 2 } },
    });
    await doomed.stop('SIGKILL');
    await Promise.all(held);
    const deadline = Date.now() + 15_000;
    while ((await rpc(gateways[0], key, request())).status !== 200) {
      if (Date.now() > deadline) throw new Error('the permits of the killed process are still taken');
      await new Promise((resolve) => setTimeout(resolve, 200));
    }
  });
});

describe('revocation', () => {
  test.each([
    ['a revoked key', (key: Key) => auth.revokeKey(key.id), 401, 401],
    ['a suspended account', () => auth.setStatus('gone-1', 'suspended'), 403, 403],
    ['a removed card', () => auth.removeCard('gone-2'), 200, 402],
  ] as const)('%s counts soon in every process', async (name, change, rpcStatus, storageStatus) => {
    const index = ['a revoked key', 'a suspended account', 'a removed card'].indexOf(name);
    const key = await customer(`gone-${index}`);
    const statuses = async () =>
      await Promise.all([
        ...gateways.map(async (gateway) => (await rpc(gateway, key, request())).status),
        ...storages.map(async () => (await kubo(key, 'version')).status),
      ]);
    expect(new Set(await statuses())).toEqual(new Set([200]));
    await change(key);
    const expected = [...gateways.map(() => rpcStatus), ...storages.map(() => storageStatus)];
    const deadline = Date.now() + 15_000;
    while (String(await statuses()) !== String(expected) && Date.now() < deadline)
      await new Promise((resolve) => setTimeout(resolve, 100));
    expect(await statuses()).toEqual(expected);
  });
});

describe('usage', () => {
  test('the ledger equals a recount of the access logs for requests of every kind', async () => {
    const key = await customer('counted');
    const { id: accountId } = await auth.account('counted');
    for (let round = 0; round < 10; round++) {
      const gateway = inTurn(round);
      await rpc(gateway, key, request());
      await rpc(gateway, key, [request(1), request(2, 'eth_blockNumber'), request(3, 'no_such'), 5]);
      await rpc(gateway, key, { ...request(1, 'eth_getBlockByHash'), params: ['0x'] });
      await fetch(`${gateway.url}/v3/${key.id}`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: '{',
      });
      await kubo(key, 'add', file(round * 1000));
      await kubo(key, 'cat?arg=QmNothing');
    }
    // The last answer arrives before its log line, and the ledger is updated twice a second.
    let [ledger, logged] = [await totals(stores, accountId), recount([...gateways, ...storages], accountId)];
    for (const end = Date.now() + 10_000; Date.now() < end && ledger.credits !== logged.credits; ) {
      await new Promise((resolve) => setTimeout(resolve, 100));
      [ledger, logged] = [await totals(stores, accountId), recount([...gateways, ...storages], accountId)];
    }
    expect(logged).toMatchObject({ eth_chainId: 20, eth_blockNumber: 10, unknown: 30, add: 10, cat: 10 });
    expect(ledger).toEqual(logged);
    const statement = await cairn.json<{ total: Record<string, number> }>('account', 'statement', 'counted');
    expect(statement.total).toMatchObject({ credits: logged.credits, bytesIn: logged.bytesIn });
  });

  test('a killed process loses no flushed usage', async () => {
    const key = await customer('killed');
    const { id: accountId } = await auth.account('killed');
    const doomed = await start('rpc-gateway');
    for (let count = 0; count < 25; count++) await rpc(doomed, key, request());
    // Usage is flushed twice a second; flushed usage must stay.
    const flushed = async () => (await totals(stores, accountId)).eth_chainId;
    for (const end = Date.now() + 10_000; Date.now() < end && (await flushed()) !== 25; )
      await new Promise((resolve) => setTimeout(resolve, 20));
    await doomed.stop('SIGKILL');
    expect((await totals(stores, accountId)).eth_chainId).toBe(25);
  });

  test('logs and metrics contain operations, but no keys and secrets', async () => {
    expect(canaries.length).toBeGreaterThan(10);
    for (const service of [...gateways, ...storages]) {
      const listening = service.log.find(({ adminPort }) => adminPort !== undefined);
      const metrics = await (await fetch(`http://127.0.0.1:${listening?.adminPort}/metrics`)).text();
      for (const canary of canaries) {
        expect(service.text()).not.toContain(canary);
        expect(metrics).not.toContain(canary);
      }
      const operation = storages.includes(service) ? 'add' : 'eth_chainId';
      const [, count] =
        new RegExp(`^cairn_requests_total{operation="${operation}".*outcome="ok".*} (\\d+)$`, 'm').exec(metrics) ?? [];
      // Three storage processes share ten adds and other ones.
      expect(Number(count)).toBeGreaterThan(storages.length > 1 ? 2 : 9);
    }
    expect(gateways[0].text()).toMatch(/"key":"key_[0-9a-f]{16}"/);
  });
});
