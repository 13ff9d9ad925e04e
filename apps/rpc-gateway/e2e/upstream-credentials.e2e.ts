import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { type Answer, call, type Gateway, post, startGateway } from './gateway.ts';
import { sample, sampleEntry } from './sample-network.ts';

// An upstream that repeats its URL and its credentials in each of its errors, as gateways of providers do.
const secrets = ['upstream-user', 'upstream-password', 'upstream-path', 'upstream-query'] as const;
const [user, password, path, query] = secrets;
let node: Gateway;
let echo: Server;
let gateway: Gateway;
let fault: 'none' | 'error' | 'status' | 'text' | 'closed' = 'none';
let url: string;

beforeAll(async () => {
  node = await startGateway({ networks: [{ ...sampleEntry, hosts: ['*'] }] });
  echo = createServer(async (request, response) => {
    let body = '';
    for await (const chunk of request) body += chunk;
    const { url: target, headers } = request;
    const text = `The key ${target} of ${atob(String(headers.authorization).slice(6))} at ${url} is refused.`;
    if (fault === 'closed') return void request.socket.destroy();
    if (fault === 'status') return void response.writeHead(401).end(text);
    if (fault === 'text') return void response.end(text);
    if (fault === 'none') return void response.end(await (await post(node.url, body)).text());
    const error = { code: -32000, message: text, data: text };
    const answers = [JSON.parse(body)].flat().map(({ id }: { id: unknown }) => ({ jsonrpc: '2.0', id, error }));
    response.end(JSON.stringify(body.startsWith('[') ? answers : answers[0]));
  });
  echo.listen(0, '127.0.0.1');
  await once(echo, 'listening');
  url = `http://${user}:${password}@127.0.0.1:${(echo.address() as AddressInfo).port}/${path}?key=${query}`;
  const { name, genesis } = sampleEntry;
  gateway = await startGateway({
    networks: [{ name, genesis, hosts: ['*'], upstreams: [url], head: { trusted: true } }],
    env: { RPC_GATEWAY_ADMIN_PORT: '0' },
  });
});
afterAll(async () => {
  await gateway?.stop();
  echo?.closeAllConnections();
  echo?.close();
  await node?.stop();
});

/** Blocks that no earlier test has read. */
let height = 1;

test.each(['error', 'status', 'text', 'closed'] as const)(
  'credentials that an upstream repeats in a fault of kind %s reach no client',
  async (kind) => {
    fault = 'none';
    expect((await call(gateway.url, 'eth_chainId')).error).toBeUndefined();
    fault = kind;
    height += 4;
    const block = `0x${height.toString(16)}`;
    const { alice } = sample.accounts;
    const requests: readonly (readonly [string, readonly unknown[]])[] = [
      ['eth_getBlockByNumber', [block, true]],
      ['eth_getBalance', [alice, block]],
      ['eth_call', [{ from: alice, to: sample.contracts.Token.address, data: '0x' }, block]],
      ['eth_getLogs', [{ fromBlock: '0x0', toBlock: block }]],
      ['debug_traceBlockByNumber', [block]],
      ['cairn_call', [{ from: alice, to: sample.contracts.Token.address }, block]],
    ];
    const answers: Answer[] = [];
    for (const [method, params] of requests) answers.push(await call(gateway.url, method, params));
    expect(answers.filter(({ error }) => error !== undefined).length).toBeGreaterThan(3);
    const text = JSON.stringify(answers);
    for (const secret of secrets) expect(text).not.toContain(secret);
  },
);

test('credentials that an upstream repeats are in no log line and no metric', async () => {
  const [, adminPort] = /"adminPort":(\d+)/.exec(gateway.log.join('\n')) ?? [];
  const metrics = await (await fetch(`http://127.0.0.1:${adminPort}/metrics`)).text();
  expect(metrics).toContain(`upstream="127.0.0.1:${(echo.address() as AddressInfo).port}"`);
  const text = [...gateway.log, metrics].join('\n');
  for (const secret of secrets) expect(text).not.toContain(secret);
});
