import { Agent, request } from 'node:http';
import { cidFor } from '@cairn/cid';
import { afterEach, expect, test } from '@jest/globals';
import { WebSocket } from 'ws';
import { openPeerClient } from './client/open-peer-client.ts';
import { peerApiLimits } from './limits.ts';
import { serve } from './serve.fixture.ts';
import { createMemoryPeerApi, describePeerApi } from './testing/index.ts';
import { decodeBlocks } from './wire/block-frames.ts';
import { fetchPath } from './wire/calls.ts';

const blockOf = (text: string) => {
  const bytes = new TextEncoder().encode(text);
  return { cid: cidFor(bytes, { codec: 'raw' }), bytes };
};

describePeerApi('in memory', async () => {
  const api = createMemoryPeerApi();
  return { api, other: api.other, offer: api.offer, close: () => api.close() };
});

describePeerApi('client over sockets', async () => {
  const { peer, api, close } = await open();
  return { api, other: peer.other, offer: peer.offer, close };
});

const closing: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0)) await close();
});

async function open({ token = 'right' }: { readonly token?: string } = {}) {
  const peer = createMemoryPeerApi();
  const server = await serve(peer);
  const api = openPeerClient({ url: server.url, token: async () => token });
  const close = async () => {
    await api.close();
    await server.kill();
  };
  return { peer, server, api, close };
}

async function opened(options?: Parameters<typeof open>[0]) {
  const all = await open(options);
  closing.push(all.close);
  return all;
}

async function until(isTrue: () => boolean): Promise<void> {
  while (!isTrue()) await new Promise((resolve) => setTimeout(resolve, 5));
}

const nextMillisecond = () => new Promise((resolve) => setTimeout(resolve, 1));

/** Opens a fetch connection whose side reads nothing until `resume`. */
async function openUnread(port: number): Promise<WebSocket> {
  const socket = new WebSocket(`ws://127.0.0.1:${port}${fetchPath}`, { headers: { authorization: 'Bearer right' } });
  socket.binaryType = 'fragments';
  await new Promise((resolve) => socket.once('open', resolve));
  socket.pause();
  return socket;
}

test('open fetches survive a restart of the peer process', async () => {
  const { server, peer, api } = await opened();
  const blocks = Array.from({ length: 50 }, (_, index) => blockOf(`restart ${index}`));
  const session = api.exchange.openSession({ providers: [{ peer: peer.other.peer }] });
  const signal = AbortSignal.timeout(60_000);
  const fetches = Promise.all(blocks.map(({ cid }) => session.fetch(cid, { signal })));
  await until(() => peer.exchange.peers().length > 0);
  await server.kill();
  const next = createMemoryPeerApi();
  const second = await serve(next, server.port);
  closing.push(() => second.kill());
  for (const block of blocks) next.offer(block);
  expect(await fetches).toHaveLength(blocks.length);
  expect(next.hints).toContainEqual({ peer: peer.other.peer });
});

test('a fetch from a peer process that does not run waits until its signal ends', async () => {
  const { server, api } = await opened();
  await server.kill();
  const { cid } = blockOf('absent');
  await expect(api.exchange.fetch(cid, { signal: AbortSignal.timeout(100) })).rejects.toMatchObject({
    name: 'TimeoutError',
  });
  await expect(api.describe()).rejects.toMatchObject({ code: 'PEER_UNAVAILABLE' });
});

test('a wrong token is refused for calls and fetches', async () => {
  const { api } = await opened({ token: 'wrong' });
  await expect(api.describe()).rejects.toMatchObject({
    code: 'PEER_UNAVAILABLE',
    message: expect.stringContaining('refuses the token'),
  });
  const { cid } = blockOf('refused');
  await expect(api.exchange.fetch(cid, { signal: AbortSignal.timeout(100) })).rejects.toMatchObject({
    name: 'TimeoutError',
  });
});

test('at most the allowed number of wants is open in the peer, and all fetches end', async () => {
  const { peer, api } = await opened();
  const blocks = Array.from({ length: peerApiLimits.wantsMax + 500 }, (_, index) => blockOf(`many ${index}`));
  const fetches = Promise.all(blocks.map(({ cid }) => api.exchange.fetch(cid)));
  const wantlist = async () => (await peer.bitswap.wantlist()).length;
  while ((await wantlist()) < peerApiLimits.wantsMax) await new Promise((resolve) => setTimeout(resolve, 10));
  expect(await wantlist()).toBe(peerApiLimits.wantsMax);
  for (const block of blocks) peer.offer(block);
  expect(await fetches).toHaveLength(blocks.length);
});

test('an aborted fetch is cancelled in the peer', async () => {
  const { peer, api } = await opened();
  const ended = new AbortController();
  const fetch = api.exchange.fetch(blockOf('cancelled').cid, { signal: ended.signal });
  while ((await peer.bitswap.wantlist()).length === 0) await new Promise((resolve) => setTimeout(resolve, 5));
  ended.abort(new Error('enough'));
  await expect(fetch).rejects.toThrow('enough');
  while ((await peer.bitswap.wantlist()).length > 0) await new Promise((resolve) => setTimeout(resolve, 5));
});

test('announced blocks reach the peer, also those of the time without a connection', async () => {
  const { server, api } = await opened();
  await server.kill();
  const blocks = [blockOf('one'), blockOf('two')];
  api.exchange.announce(blocks.map(({ cid }) => cid));
  const next = createMemoryPeerApi();
  const second = await serve(next, server.port);
  closing.push(() => second.kill());
  await until(() => next.announced.length === 2);
  expect(next.announced.map(String)).toEqual(blocks.map(({ cid }) => cid.toString()));
});

test('a service that does not read bounds the blocks that wait for it', async () => {
  const blocks = Array.from({ length: 400 }, (_, index) => blockOf(`${index} `.padEnd(1024 * 1024, 'x')));
  const { peer, api, server } = await opened();
  const unread = await openUnread(server.port);
  closing.push(async () => unread.terminate());
  unread.send(JSON.stringify(blocks.map(({ cid }, id) => ({ type: 'want', id, session: 0, cid: cid.toString() }))));
  while ((await peer.bitswap.wantlist()).length < blocks.length) await nextMillisecond();
  for (const block of blocks.slice(0, 200)) {
    peer.offer(block);
    await nextMillisecond();
  }
  // A part is delivered; the other fetches end until the service reads.
  while ((await peer.bitswap.wantlist()).length > 0) await nextMillisecond();
  const delivered = peer.exchange.peers()[0]?.bytesReceived ?? 0;
  expect(delivered).toBeLessThan(peerApiLimits.unreadBytesMax + 16 * 1024 * 1024);
  // Other services are served.
  expect(await api.exchange.fetch((blocks[0] as (typeof blocks)[0]).cid)).toHaveLength(1024 * 1024);
  for (const block of blocks) peer.offer(block);
  const ids = new Set<number>();
  const all = new Promise<void>((resolve) => {
    unread.on('message', (data, isBinary) => {
      if (isBinary) for (const { id } of decodeBlocks(data as Buffer[])) ids.add(id);
      if (ids.size === blocks.length) resolve();
    });
  });
  unread.resume();
  await all;
});

test('a call that is too long does not delay the next one of its connection', async () => {
  const { server } = await opened();
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  const post = (body: string) =>
    new Promise<number | undefined>((resolve, reject) => {
      const headers = { authorization: 'Bearer right' };
      request(`${server.url}/peer/v1/describe`, { method: 'POST', agent, headers, timeout: 3000 }, (response) => {
        response.resume().once('end', () => resolve(response.statusCode));
      })
        .once('timeout', () => reject(new Error('no answer')))
        .once('error', reject)
        .end(body);
    });
  // The connection may end before all of the call is sent.
  const first = await post(`"${'x'.repeat(3 * 1024 * 1024)}"`).catch(({ code }) => code);
  expect([400, 'EPIPE', 'ECONNRESET']).toContain(first);
  expect(await post('{}')).toBe(200);
  agent.destroy();
});

test('a call with wrong parameters is refused, and an unknown call too', async () => {
  const { server } = await opened();
  const post = async (name: string, body: string) => {
    const headers = { authorization: 'Bearer right' };
    const response = await fetch(`${server.url}/peer/v1/${name}`, { method: 'POST', body, headers });
    return [response.status, ((await response.json()) as { error: { code: string } }).error.code];
  };
  expect(await post('swarm/connect', '{}')).toEqual([400, 'PEER_REQUEST_INVALID']);
  expect(await post('swarm/connect', '{')).toEqual([400, 'PEER_REQUEST_INVALID']);
  expect(await post('toString', '{}')).toEqual([400, 'PEER_REQUEST_INVALID']);
  expect(await post('routing/provide', '{"cids":["no"]}')).toEqual([400, 'PEER_REQUEST_INVALID']);
  expect(await post('describe', `"${'x'.repeat(2 * 1024 * 1024)}"`)).toEqual([400, 'PEER_REQUEST_INVALID']);
});
