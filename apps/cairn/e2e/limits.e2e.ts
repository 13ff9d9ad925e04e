import { connect } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import type { RunningService } from '@cairn/service-kit/testing';
import { describe, expect, test } from '@jest/globals';
import { WebSocket } from 'undici';
import {
  cairn,
  customer,
  declarePlan,
  file,
  gateways,
  kubo,
  type RpcAnswer,
  readUntil,
  request,
  rpc,
  startGateway,
  storages,
} from './limited-services.ts';

const plans = {
  burst: declarePlan('burst', { requestsPerSecond: 1, burst: 60 }),
  sockets: declarePlan('sockets', { webSockets: 1, creditsPerDay: 3 }),
  credits: declarePlan('credits', { creditsPerDay: 50 }),
  poor: declarePlan('poor', { creditsPerDay: 0 }),
  narrow: declarePlan('narrow', { bytesInPerDay: 1024 * 1024 }),
  few: declarePlan('few', { methods: ['eth_chainId'] }),
  shelf: declarePlan('shelf', { storedBytes: 100_000 }),
  concurrent: declarePlan('concurrent', { concurrentRequests: 2 }),
};

function inTurn(index: number): RunningService {
  return gateways[index % gateways.length] ?? gateways[0];
}

const batch = (length: number) => Array.from({ length }, (_, index) => request(index));

/** Sends ten requests at a time until one is refused: each elapsed second admits another. */
async function refusalOf(send: () => Promise<Response>): Promise<Response> {
  for (let round = 0; round < 20; round++) {
    const answers = await Promise.all(Array.from({ length: 10 }, send));
    const refusal = answers.find(({ status }) => status === 429);
    if (refusal !== undefined) return refusal;
  }
  throw new Error('200 requests were admitted');
}

describe('limits', () => {
  test('batches, connections, processes and services share a burst, and the refusal has all headers', async () => {
    const key = await customer(plans.burst);
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
    // Each process can keep one token of its last lot.
    expect(admitted).toBeGreaterThanOrEqual(60 - gateways.length - storages.length);
    expect(admitted).toBeLessThanOrEqual(61 + elapsedSeconds);
    const refusal = results.find(({ error }) => error?.code === -32005)?.error;
    expect(refusal).toMatchObject({
      message: expect.stringContaining('1 requests a second'),
      data: { limit: 'requestsPerSecond', allowed: 1, plan: 'burst', used: 60, retryAfterSeconds: expect.any(Number) },
    });
    const alone = await refusalOf(() => rpc(gateways[0], key, request()));
    expect(Number(alone.headers.get('retry-after'))).toBeGreaterThan(0);
    expect(alone.headers.get('ratelimit-policy')).toBe('"requests";q=60;w=60');
    expect(alone.headers.get('ratelimit')).toMatch(/^"requests";r=0;t=\d+$/);
    expect(await alone.json()).toMatchObject({ error: { code: -32005, data: { limit: 'requestsPerSecond' } } });
    const refused = await refusalOf(() => kubo(key, 'version'));
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
    expect(refused.headers.get('ratelimit-policy')).toBe('"requests";q=60;w=60');
    expect(await refused.json()).toMatchObject({ Type: 'error', Code: 3, Message: expect.stringContaining('burst') });
  });

  test('over WebSocket a refusal is an answer, and connections have their own limit', async () => {
    const key = await customer(plans.sockets);
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
    const key = await customer(plans.credits);
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
    const poor = await customer(plans.poor);
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
    const rich = await customer(plans.credits);
    const long = { ...request(), params: ['x'.repeat(4_700_000)] };
    expect((await rpc(gateways[0], rich, long)).status).toBe(200);
    const next = await rpc(gateways[0], rich, { ...long, params: ['x'.repeat(600_000)] });
    expect(next.status).toBe(429);
    expect(await next.json()).toMatchObject({ error: { code: -32005, data: { limit: 'creditsPerDay', used: 46 } } });
  });

  test('an upload beyond the daily bytes ends with 429 and stores nothing', async () => {
    const key = await customer(plans.narrow);
    const small = await kubo(key, 'add', file(1000));
    expect(small.status).toBe(200);
    const form = new FormData();
    // Slower than the interval of the limit checks.
    form.set('file', new Blob([new Uint8Array(40 * 1024 * 1024)]), 'large.bin');
    const large = await kubo(key, 'add?pin=true', form).catch((error: Error) => error);
    // Another process knows of the bytes when this one has settled them.
    const again = await readUntil(
      () => kubo(key, 'version'),
      ({ status }) => status !== 200,
    );
    expect(again.status).toBe(429);
    expect(await again.json()).toMatchObject({ Message: expect.stringContaining('bytes received a day') });
    // A machine that receives 40 MiB within one interval has finished before the check.
    if (large instanceof Response && large.status === 200) return;
    const pins = await cairn.json<{ pins: number }>('account', 'usage', key.account);
    expect(pins.pins).toBe(1);
  });

  test('a plan allows the methods that it lists', async () => {
    const key = await customer(plans.few);
    const answers = (await (
      await rpc(gateways[1], key, [request(1), request(2, 'eth_blockNumber')])
    ).json()) as RpcAnswer[];
    expect(answers).toMatchObject([{ result: expect.any(String) }, { error: { code: -32004 } }]);
  });

  test('a plan limits the stored bytes', async () => {
    const key = await customer(plans.shelf);
    expect((await kubo(key, 'add', file(50_000))).status).toBe(200);
    const refused = await kubo(key, 'add', file(200_000));
    expect(refused.status).toBe(403);
    expect(await refused.json()).toMatchObject({ Message: expect.stringContaining('quota') });
  });

  test('concurrent requests beyond the limit get 429, and a killed process releases its permits', async () => {
    const key = await customer(plans.concurrent);
    const doomed = await startGateway();
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
    // A trace that reaches its time limit is sent again, so that both permits stay taken.
    const calls = new AbortController();
    const hold = async () => {
      while (!calls.signal.aborted) {
        const status = await rpc(doomed, key, slow).then(
          (answer) => answer.status,
          () => undefined,
        );
        if (status !== 200) await delay(50);
      }
    };
    const held = [hold(), hold()];
    const isRefused = ({ status }: Response) => status === 429;
    for (const gateway of [doomed, gateways[0]]) {
      const refused = await readUntil(() => rpc(gateway, key, request()), isRefused);
      expect(await refused.json()).toMatchObject({
        error: { code: -32005, data: { limit: 'concurrentRequests', used: 2 } },
      });
    }
    await doomed.stop('SIGKILL');
    calls.abort();
    await Promise.all(held);
    const released = await readUntil(
      () => rpc(gateways[0], key, request()),
      ({ status }) => status === 200,
      15_000,
    );
    expect(released.status).toBe(200);
  });
});
