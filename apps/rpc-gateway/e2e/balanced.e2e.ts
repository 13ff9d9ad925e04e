// Three gateways without a common directory behind HAProxy: filters, subscriptions and the newest block of a client survive the
// loss of the gateway that answered before.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Auth } from '@cairn/auth';
import { openChainStore } from '@cairn/chain-store';
import { openStores } from '@cairn/stores';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { WebSocket } from 'ws';
import { engineProgram, howToEnableEngine } from '../../../tools/engines/index.mjs';
import { describeWithPostgres, describeWithRedis } from '../../../tools/engines/jest.mjs';
import { freePort } from '../../../tools/peers/free-port.mjs';
import { call, createHome, type Gateway, key, launchGateway, post, startGateway, until } from './gateway.ts';
import { sampleEntry } from './sample-network.ts';

const haproxy = engineProgram('haproxy');
if (haproxy === undefined) console.log(howToEnableEngine('haproxy'));
const describeBalanced = haproxy === undefined ? describe.skip : describe;

const firstHeight = 8;

describeBalanced('behind a balancer', () => {
  describeWithPostgres('on a database', (postgres) => {
    describeWithRedis('with Redis', (redis) => {
      const homes: string[] = [];
      const hashes: string[] = [];
      let upstream: Gateway;
      let gateways: Gateway[] = [];
      let balancer: ChildProcess | undefined;
      let url: string;
      let env: Readonly<Record<string, string>>;
      const newHome = () => {
        homes.push(mkdtempSync(join(tmpdir(), 'cairn-balanced-')));
        return homes.at(-1) ?? '';
      };
      const launch = (port = 0, home = newHome()) =>
        launchGateway({
          home,
          env: { ...env, ...(port > 0 && { RPC_GATEWAY_PORT: String(port) }) },
          networks: [
            { name: sampleEntry.name, genesis: sampleEntry.genesis, hosts: ['*'], source: { rpc: upstream.url } },
          ],
        });

      beforeAll(async () => {
        homes.push(await createHome());
        upstream = await startGateway({ home: homes[0] ?? '', networks: [{ ...sampleEntry, hosts: ['*'] }] });
        for (let height = 0; height <= 24; height++) {
          const params = [`0x${height.toString(16)}`, false];
          const { result } = await call(upstream.url, 'eth_getBlockByNumber', params);
          hashes.push((result as { readonly hash: string }).hash);
        }
        await moveTo(firstHeight);
        const CAIRN_DATABASE_URL = await postgres().createDatabase();
        env = {
          CAIRN_DATABASE_URL,
          CAIRN_REDIS_URL: redis().url,
          CAIRN_SECRETS_KEY: Buffer.alloc(32, 7).toString('base64'),
          CAIRN_CALL_WORKERS: '1',
          CAIRN_READY_LAG_BLOCKS_MAX: '5',
        };
        const auth = new Auth({ store: await openStores({ CAIRN_HOME: newHome(), CAIRN_DATABASE_URL }).accounts() });
        await auth.createAccount({ name: 'caller', plan: 'local' });
        await auth.createKey('caller', { id: key });
        await auth.close();
        gateways = await Promise.all([launch(), launch(), launch()]);
        for (const gateway of gateways) await gateway.ready();
        const port = await freePort();
        url = `http://127.0.0.1:${port}/v3/${key}`;
        balancer = await startBalancer(port, gateways, newHome());
        await allAt(firstHeight);
        await until(async () => (await heightOf(url)) === firstHeight, 'the balancer');
      });
      afterAll(async () => {
        balancer?.kill();
        await Promise.all([...gateways, ...(upstream ? [upstream] : [])].map((gateway) => gateway.end()));
        for (const home of homes) rmSync(home, { recursive: true, force: true });
      });

      /** Sets the head that all gateways follow. */
      async function moveTo(height: number): Promise<void> {
        const store = await openChainStore({ directory: join(homes[0] ?? '', 'chains', sampleEntry.name) });
        try {
          await store.setForkChoice({ head: hashes[height] as `0x${string}` });
        } finally {
          await store.close();
        }
      }
      const allAt = (height: number) =>
        until(
          async () =>
            (await Promise.all(gateways.map(async (gateway) => (await heightOf(gateway.url)) === height))).every(
              Boolean,
            ),
          `block ${height} in each gateway`,
        );
      /** Asks the balancer over a new connection, so that gateways answer in turn. */
      const ask = async (method: string, params: readonly unknown[] = []) =>
        (await (
          await post(url, JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }), { connection: 'close' })
        ).json()) as { readonly result?: unknown; readonly error?: { readonly code: number } };

      test('a filter is answered by each gateway, each block once, also after its creator was killed', async () => {
        const id = (await ask('eth_newBlockFilter')).result;
        const seen: unknown[] = [];
        const poll = async () => {
          const { result, error } = await ask('eth_getFilterChanges', [id]);
          expect(error).toBeUndefined();
          seen.push(...(result as readonly unknown[]));
        };
        await moveTo(10);
        await until(() => poll().then(() => seen.length >= 2), 'two blocks');
        const [doomed] = gateways;
        await doomed?.end('SIGKILL');
        await moveTo(12);
        await until(
          () =>
            poll().then(
              () => seen.length >= 4,
              () => false,
            ),
          'blocks after the loss of a gateway',
        );
        for (let count = 0; count < 6; count++) await poll();
        expect(seen).toEqual(hashes.slice(9, 13));
        gateways[0] = await launch(doomed?.port, doomed?.home);
        await gateways[0].ready();
        await allAt(12);
      });

      test('a subscription continues at another gateway, each block once and in order', async () => {
        const seen: { readonly number: string; readonly hash: string }[] = [];
        const first = await subscriber(url, seen);
        const subscription = await first.ask('eth_subscribe', 'newHeads');
        await moveTo(15);
        await until(async () => seen.length >= 3, 'three heads');
        // The connection is at one of them: gateways end until it is closed.
        const closed = once(first.socket, 'close').then(() => true);
        for (const [index, gateway] of gateways.entries()) {
          await gateway.end('SIGKILL');
          const isClosed = await Promise.race([closed, new Promise((resolve) => setTimeout(resolve, 500))]);
          gateways[index] = await launch(gateway.port, gateway.home);
          await gateways[index]?.ready();
          if (isClosed) break;
        }
        await moveTo(18);
        const second = await subscriberAgain(url, seen);
        expect(await second.ask('cairn_resume', subscription, seen.at(-1))).toBe(subscription);
        await until(async () => seen.length >= 6, 'heads after the move');
        await new Promise((resolve) => setTimeout(resolve, 300));
        expect(seen.map(({ hash }) => hash)).toEqual(hashes.slice(13, 19));
        second.socket.terminate();
        await allAt(18);
      });

      test('a client that sends the last block it saw never gets an older one', async () => {
        let seen = '0x12';
        const heights: number[] = [];
        let isMoving = true;
        const reading = (async () => {
          while (isMoving) {
            const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'eth_blockNumber', params: [] });
            const answer = await post(url, body, { connection: 'close', 'cairn-latest-block': seen });
            if (answer.status === 503) continue;
            seen = ((await answer.json()) as { readonly result: string }).result;
            heights.push(Number(seen));
          }
        })();
        for (let height = 19; height <= 24; height++) {
          await moveTo(height);
          await new Promise((resolve) => setTimeout(resolve, 150));
        }
        await until(async () => heights.at(-1) === 24, 'the newest block');
        isMoving = false;
        await reading;
        expect(heights).toEqual([...heights].sort((one, other) => one - other));
      });
    });
  });
});

async function heightOf(url: string): Promise<number> {
  return await call(url, 'eth_blockNumber').then(
    ({ result }) => Number(result),
    () => -1,
  );
}

/** Starts HAProxy in front of gateways. A gateway that is not ready gets no requests. */
async function startBalancer(port: number, gateways: readonly Gateway[], directory: string): Promise<ChildProcess> {
  const file = join(directory, 'haproxy.cfg');
  const servers = gateways.map((gateway, index) => `  server gateway${index} 127.0.0.1:${gateway.port}`);
  writeFileSync(
    file,
    `defaults
  mode http
  timeout connect 3s
  timeout client 60s
  timeout server 60s
  timeout tunnel 1h
  retries 2
  option redispatch
  default-server check inter 200 fall 1 rise 1
  balance roundrobin
listen gateway
  option httpchk GET /readyz
  bind 127.0.0.1:${port}
${servers.join('\n')}
`,
  );
  return spawn(haproxy ?? '', ['-f', file], { stdio: 'ignore' });
}

interface Head {
  readonly number: string;
  readonly hash: string;
}

/** Connects over the balancer. Heads of all subscriptions go to `seen`. */
async function subscriber(url: string, seen: Head[]) {
  const socket = new WebSocket(url.replace('http', 'ws').replace('/v3/', '/ws/v3/'));
  const answers = new Map<number, (result: unknown) => void>();
  socket.on('error', () => {});
  socket.on('message', (data) => {
    const message = JSON.parse(String(data));
    if (message.method === 'eth_subscription') seen.push(message.params.result);
    else answers.get(message.id)?.(message.result ?? message.error);
  });
  await once(socket, 'open');
  let id = 0;
  return {
    socket,
    ask: (method: string, ...params: readonly unknown[]) =>
      new Promise<unknown>((resolve) => {
        answers.set(++id, resolve);
        socket.send(JSON.stringify({ jsonrpc: '2.0', id, method, params }));
      }),
  };
}

/** Connects again until a gateway accepts. */
async function subscriberAgain(url: string, seen: Head[]): ReturnType<typeof subscriber> {
  for (let tries = 1; ; tries++) {
    try {
      return await subscriber(url, seen);
    } catch (error) {
      if (tries === 100) throw error;
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
  }
}
