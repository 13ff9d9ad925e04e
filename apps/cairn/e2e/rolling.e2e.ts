import { Auth } from '@cairn/auth';
import type { RunningService } from '@cairn/service-kit/testing';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { Pool } from 'undici';
import { freePort } from '../../../tools/peers/free-port.mjs';
import { Deployment } from './deployment.ts';

const deployment = new Deployment();
const { cairn } = deployment;
const secret = 'secret-of-the-balancer';
const authorization = `Basic ${Buffer.from(`key:${secret}`).toString('base64')}`;

beforeAll(async () => {
  await deployment.open();
  const auth = new Auth({ store: await deployment.stores().accounts() });
  await auth.createAccount({ name: 'ann', plan: 'local' });
  await auth.attachCard('ann', { brand: 'visa', last4: '4242' });
  await auth.createKey('ann', { id: 'key', secret });
  await auth.close();
});
afterAll(() => deployment.remove());

/** Time that a balancer waits for a process that accepts a request. */
const patienceMs = 20_000;

/**
 * Acts as a balancer: tries the next process when one is not ready, or when a connection was refused or broke before an
 * answer.
 */
class Balancer {
  readonly #pools: Pool[];
  #next = 0;

  constructor(urls: readonly string[]) {
    this.#pools = urls.map((url) => new Pool(url, { connections: 8 }));
  }

  async send(request: Parameters<Pool['request']>[0]): Promise<{ readonly status: number; readonly text: string }> {
    const end = performance.now() + patienceMs;
    for (;;) {
      const pool = this.#pools[this.#next++ % this.#pools.length];
      try {
        if (pool === undefined) throw new Error('no process');
        const { statusCode, body } = await pool.request(request);
        const text = await body.text();
        // Not ready: the request has not started.
        if (statusCode !== 503 || performance.now() > end) return { status: statusCode, text };
      } catch (error) {
        // Errors of Node belong to another realm than the test.
        const { code = '' } = error as { readonly code?: string };
        if (!/ECONNREFUSED|ECONNRESET|UND_ERR_SOCKET/.test(code) || performance.now() > end) throw error;
      }
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
  }

  close(): Promise<unknown> {
    return Promise.all(this.#pools.map((pool) => pool.destroy()));
  }
}

const portSettings = {
  'rpc-gateway': 'RPC_GATEWAY_PORT',
  'storage-api': 'STORAGE_API_PORT',
  console: 'CONSOLE_PORT',
} as const;

/** Restarts all processes of a service one after the other during requests. */
async function restartEach(
  name: keyof typeof portSettings,
  request: (n: number) => Parameters<Pool['request']>[0],
  isRight: (text: string, n: number) => boolean,
): Promise<{
  readonly answered: number;
  readonly wrong: readonly string[];
  readonly exits: readonly (number | null)[];
}> {
  const processes: { readonly port: number; readonly home: string }[] = [];
  const count = deployment.isDistributed && name !== 'console' ? 3 : 2;
  while (processes.length < count) processes.push({ port: await freePort(), home: deployment.newHome() });
  const start = ({ port, home }: (typeof processes)[number]) =>
    deployment.start(name, { [portSettings[name]]: String(port), LOG_LEVEL: 'info' }, home);
  const running: RunningService[] = [];
  for (const each of processes) running.push(await start(each));
  const balancer = new Balancer(running.map(({ url }) => url));
  const wrong: string[] = [];
  let answered = 0;
  let isLoading = true;
  const load = Array.from({ length: 16 }, async () => {
    while (isLoading) {
      const n = answered++;
      try {
        const { status, text } = await balancer.send(request(n));
        if (status !== 200 || !isRight(text, n)) wrong.push(`${status} ${text.slice(0, 200)}`);
      } catch (error) {
        wrong.push(String(error));
      }
    }
  });
  const exits: (number | null)[] = [];
  for (const [index, each] of processes.entries()) {
    await new Promise((resolve) => setTimeout(resolve, 400));
    const old = running[index];
    await old?.stop('SIGTERM');
    exits.push(old?.process.exitCode ?? null);
    running[index] = await start(each);
  }
  await new Promise((resolve) => setTimeout(resolve, 400));
  isLoading = false;
  await Promise.all(load);
  await balancer.close();
  await deployment.stop();
  return { answered, wrong, exits };
}

test('no call fails during the restart of all gateways one after the other', async () => {
  const json = { 'content-type': 'application/json' };
  const body = (n: number) =>
    JSON.stringify({ jsonrpc: '2.0', id: n, method: 'eth_getBlockByNumber', params: ['0x5', true] });
  const { answered, wrong, exits } = await restartEach(
    'rpc-gateway',
    (n) => ({ path: '/v3/key', method: 'POST', headers: json, body: body(n) }),
    (text, n) => text.includes(`"id":${n},"result":{`),
  );
  expect({ wrong, exits }).toEqual({ wrong: [], exits: exits.map(() => 0) });
  expect(answered).toBeGreaterThan(1000);
});

test('no add fails during the restart of all storage processes one after the other, and all added content stays', async () => {
  const boundary = 'cairn-rolling';
  const content = (n: number) => `rolling ${n} `.repeat(500);
  const head = `--${boundary}\r\nContent-Disposition: form-data; name="file"; filename="f"\r\n\r\n`;
  const added = new Set<string>();
  const { answered, wrong, exits } = await restartEach(
    'storage-api',
    (n) => ({
      path: '/api/v0/add',
      method: 'POST',
      headers: { authorization, 'content-type': `multipart/form-data; boundary=${boundary}` },
      body: `${head}${content(n)}\r\n--${boundary}--\r\n`,
    }),
    (text) => {
      const { Hash } = JSON.parse(text) as { readonly Hash: string };
      added.add(Hash);
      return Hash.startsWith('Qm');
    },
  );
  expect({ wrong, exits }).toEqual({ wrong: [], exits: exits.map(() => 0) });
  expect(added.size).toBe(answered);
  const report = await cairn.json<{ readonly pins: number; readonly problems: readonly string[] }>('verify');
  expect(report).toMatchObject({ pins: answered, problems: [] });
});

test('no visitor is signed out and no request fails during the restart of all consoles one after the other', async () => {
  const json = { 'content-type': 'application/json', 'x-cairn-console': '1' };
  const service = await deployment.start('console');
  const body = JSON.stringify({ email: 'vera@example.org', password: 'four words in a row', accountName: 'vera' });
  const answer = await fetch(`${service.url}/api/sign-up`, { method: 'POST', headers: json, body });
  expect(answer.status).toBe(201);
  const cookie = answer.headers.getSetCookie()[0]?.split(';', 1)[0] ?? '';
  await service.stop();
  const { answered, wrong, exits } = await restartEach(
    'console',
    () => ({ path: '/api/keys', method: 'GET', headers: { ...json, cookie } }),
    // An account without keys.
    (text) => text === '[]',
  );
  expect({ wrong, exits }).toEqual({ wrong: [], exits: exits.map(() => 0) });
  expect(answered).toBeGreaterThan(100);
});
