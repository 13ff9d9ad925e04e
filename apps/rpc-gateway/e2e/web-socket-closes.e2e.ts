// Closes with code and reason, each with a real client.
import { once } from 'node:events';
import { join } from 'node:path';
import { openChainStore } from '@cairn/chain-store';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { WebSocket } from 'ws';
import { call, type Gateway, key, startGateway, withAuth } from './gateway.ts';
import { sample, sampleEntry } from './sample-network.ts';

let gateway: Gateway;
/** Close of a client that sends no pong. It takes up to a minute, so it waits beside the other tests. */
let silent: Promise<unknown[]>;
beforeAll(async () => {
  gateway = await startGateway({ networks: [{ ...sampleEntry, hosts: ['*'] }] });
  ({ closed: silent } = await connect(key, { autoPong: false }));
});
afterAll(() => gateway?.stop());

async function connect(id = key, options = {}): Promise<{ socket: WebSocket; closed: Promise<unknown[]> }> {
  const socket = new WebSocket(gateway.webSocketUrl.replace(key, id), options);
  socket.on('error', () => {});
  const closed = new Promise<unknown[]>((resolve) =>
    socket.once('close', (code, reason) => resolve([code, String(reason)])),
  );
  await once(socket, 'open');
  return { socket, closed };
}

const request = (method: string, params: readonly unknown[] = []) =>
  JSON.stringify({ jsonrpc: '2.0', id: 1, method, params });

/** Stops reading, so that answers and events wait in the gateway. */
function pause(socket: WebSocket): void {
  socket.pause();
}

test('a message after the suspension of the account is answered with 1008', async () => {
  await withAuth(gateway.home, async (auth) => {
    await auth.createAccount({ name: 'closes', plan: 'local' });
    await auth.createKey('closes', { id: 'closes-key' });
  });
  const { socket, closed } = await connect('closes-key');
  await withAuth(gateway.home, async (auth) => void (await auth.setStatus('closes', 'suspended')));
  socket.send(request('eth_chainId'));
  expect(await closed).toEqual([1008, 'the account is suspended']);
});

test('a message after the key was revoked, or limited to another network, is answered with 1008', async () => {
  await withAuth(gateway.home, async (auth) => {
    await auth.createKey('caller', { id: 'closes-revoked' });
    await auth.createKey('caller', { id: 'closes-limited' });
  });
  const [revoked, limited] = [await connect('closes-revoked'), await connect('closes-limited')];
  await withAuth(gateway.home, async (auth) => {
    await auth.revokeKey('closes-revoked');
    await auth.limitKey('closes-limited', { policy: { networks: ['other'] } });
  });
  for (const { socket } of [revoked, limited]) socket.send(request('eth_chainId'));
  expect(await revoked.closed).toEqual([1008, 'the API key is revoked or has expired']);
  expect(await limited.closed).toEqual([1008, 'the API key no longer allows this connection or subscription']);
});

test('a client that does not read its answers is closed with 1013', async () => {
  const { socket, closed } = await connect();
  const document = JSON.stringify((await call(gateway.url, 'rpc.discover')).result);
  pause(socket);
  const bytesMax = 80 * 1024 * 1024;
  for (let sent = 0; sent < bytesMax; sent += document.length) socket.send(request('rpc.discover'));
  // The gateway closes when 64 MiB wait. The close frame follows them.
  await new Promise((resolve) => setTimeout(resolve, 15_000));
  socket.resume();
  expect(await closed).toEqual([1013, 'the client reads answers too slowly']);
});

test('a client that does not read its events is closed with 1013', async () => {
  const { socket, closed } = await connect();
  let answers = 0;
  socket.on('message', () => answers++);
  for (let count = 0; count < 100; count++) socket.send(request('eth_subscribe', ['newHeads']));
  while (answers < 100) await new Promise((resolve) => setTimeout(resolve, 10));
  pause(socket);
  const { hash: earlier } = (await call(gateway.url, 'eth_getBlockByNumber', ['0xc', false])).result as {
    hash: `0x${string}`;
  };
  const store = await openChainStore({ directory: join(gateway.home, 'chains', sampleEntry.name) });
  try {
    // The gateway looks for a new head every 100 ms.
    for (let change = 0; change < 320; change++) {
      await store.setForkChoice({ head: change % 2 === 0 ? earlier : sample.head });
      await new Promise((resolve) => setTimeout(resolve, 120));
    }
    await store.setForkChoice({ head: sample.head });
  } finally {
    await store.close();
  }
  socket.resume();
  expect(await closed).toEqual([1013, 'the client reads events too slowly; continue with cairn_resume']);
  expect(gateway.log.filter((line) => /"level":(50|60)/.test(line))).toEqual([]);
});

test('a client that sends no pong is closed with 1011', async () => {
  expect(await silent).toEqual([1011, 'no pong within 30 seconds']);
});
