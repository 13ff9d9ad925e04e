import { once } from 'node:events';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { encodeFunctionData } from 'viem';
import { WebSocket } from 'ws';
import { type Answer, type Gateway, key, startGateway, suspendedKey, withAuth } from './gateway.ts';
import { sample } from './sample-network.ts';

let gateway: Gateway;
beforeAll(async () => {
  gateway = await startGateway({ env: { CAIRN_RPC_BODY_BYTES_MAX: '4096' } });
});
afterAll(() => gateway?.stop());

async function open(url = gateway.webSocketUrl): Promise<WebSocket> {
  const socket = new WebSocket(url);
  await once(socket, 'open');
  return socket;
}

async function ask(socket: WebSocket, body: unknown): Promise<Answer> {
  const answered = once(socket, 'message');
  socket.send(typeof body === 'string' ? body : JSON.stringify(body));
  return JSON.parse(String((await answered)[0]));
}

const chainId = (id: unknown) => ({ jsonrpc: '2.0', id, method: 'eth_chainId' });
const chainIdHex = `0x${sample.chainId.toString(16)}`;

/** Status and body of a refused upgrade. */
async function refusal(url: string): Promise<{ status: number | undefined; body: Answer }> {
  const socket = new WebSocket(url);
  const [, response] = await once(socket, 'unexpected-response');
  let text = '';
  for await (const chunk of response) text += chunk;
  return { status: response.statusCode, body: JSON.parse(text) };
}

describe('the WebSocket transport', () => {
  test('answers consecutive calls and batches on one connection', async () => {
    const socket = await open();
    expect(await ask(socket, chainId(1))).toMatchObject({ id: 1, result: chainIdHex });
    expect(await ask(socket, chainId('two'))).toMatchObject({ id: 'two', result: chainIdHex });
    expect(await ask(socket, [chainId(3), { jsonrpc: '2.0', id: 4, method: 'nope' }])).toMatchObject([
      { id: 3, result: chainIdHex },
      { id: 4, error: { code: -32601 } },
    ]);
    expect(await ask(socket, '{')).toMatchObject({ id: null, error: { code: -32700 } });
    socket.close();
    expect((await once(socket, 'close'))[0]).toBe(1005);
  });

  test('answers many concurrent calls', async () => {
    const socket = await open();
    const ids = new Set(Array.from({ length: 300 }, (_, id) => id));
    const all = new Promise<void>((resolve) => {
      socket.on('message', (data) => {
        ids.delete(JSON.parse(String(data)).id);
        if (ids.size === 0) resolve();
      });
    });
    for (const id of [...ids]) socket.send(JSON.stringify(chainId(id)));
    await all;
    socket.terminate();
  });

  test.each([
    ['a wrong key', 'wrong-key', 401],
    ['no key', '', 401],
    ['a suspended account', suspendedKey, 403],
  ])('refuses an upgrade with %s', async (_, given, status) => {
    expect(await refusal(gateway.webSocketUrl.replace(key, given))).toMatchObject({
      status,
      body: { id: null, error: { code: -32001 } },
    });
  });

  test('closes the connection of a revoked key at the next message', async () => {
    await withAuth(gateway.home, async (auth) => void (await auth.createKey('caller', { id: 'short-lived' })));
    const socket = await open(gateway.webSocketUrl.replace(key, 'short-lived'));
    expect(await ask(socket, chainId(1))).toMatchObject({ result: chainIdHex });
    await withAuth(gateway.home, async (auth) => void (await auth.revokeKey('short-lived')));
    socket.send(JSON.stringify(chainId(2)));
    expect((await once(socket, 'close'))[0]).toBe(1008);
  });

  test('closes the connection with 1009 after a message above the limit', async () => {
    const socket = await open();
    socket.send(' '.repeat(4097));
    expect((await once(socket, 'close'))[0]).toBe(1009);
  });
});

test('SIGTERM answers running calls, announces the shutdown, closes connections with 1001 and exits with 0', async () => {
  const ending = await startGateway({ env: { CAIRN_CALL_TIMEOUT_MS: '1000' } });
  try {
    const [idle, busy] = [await open(ending.webSocketUrl), await open(ending.webSocketUrl)];
    const received: Answer[] = [];
    busy.on('message', (data) => received.push(JSON.parse(String(data))));
    const { Loops } = sample.contracts;
    const data = encodeFunctionData({ abi: Loops.abi, functionName: 'forever' });
    const params = [{ from: sample.accounts.alice, to: Loops.address, data, gas: '0xffffffffff' }, 'latest'];
    busy.send(JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'eth_call', params }));
    // The pong follows after the previous message was received.
    busy.ping();
    await once(busy, 'pong');
    const [announced, closed, busyClosed] = [once(idle, 'message'), once(idle, 'close'), once(busy, 'close')];
    const exitCode = ending.end('SIGTERM');
    expect(JSON.parse(String((await announced)[0]))).toMatchObject({ jsonrpc: '2.0', method: 'cairn_shutdown' });
    expect((await closed)[0]).toBe(1001);
    expect((await busyClosed)[0]).toBe(1001);
    expect(received).toMatchObject([{ method: 'cairn_shutdown' }, { id: 1, error: { code: -32000 } }]);
    expect(await exitCode).toBe(0);
  } finally {
    await ending.stop();
  }
});
