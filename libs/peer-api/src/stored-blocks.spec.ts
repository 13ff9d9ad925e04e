import type { Block } from '@cairn/blockstore/core';
import { cidFor } from '@cairn/cid';
import { afterEach, expect, test } from '@jest/globals';
import { openPeerClient } from './client/open-peer-client.ts';
import { serve } from './serve.fixture.ts';
import type { StoreBlock } from './server/fetch-connection.ts';
import { createMemoryPeerApi } from './testing/index.ts';

const closing: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0)) await close();
});

const blockOf = (text: string): Block => {
  const bytes = new TextEncoder().encode(text);
  return { cid: cidFor(bytes, { codec: 'raw' }), bytes };
};

async function open(store?: StoreBlock) {
  const peer = createMemoryPeerApi();
  const server = await serve(peer, 0, { store });
  const api = openPeerClient({ url: server.url, token: async () => 'right' });
  closing.push(async () => {
    await api.close();
    await server.kill();
  });
  const session = api.exchange.openSession({ providers: [{ peer: peer.other.peer }] });
  const { fetchStored } = session;
  if (fetchStored === undefined) throw new Error('The session cannot store.');
  return { peer, server, session, fetchStored };
}

test('a peer with a common store writes the block before it reports it', async () => {
  const stored: string[] = [];
  const { peer, session, fetchStored } = await open(async ({ cid }) => {
    await new Promise((resolve) => setTimeout(resolve, 20));
    stored.push(cid.toString());
  });
  const block = blockOf('stored');
  peer.offer(block);
  expect(await fetchStored(block.cid)).toEqual({ storedBytes: block.bytes.length });
  expect(stored).toEqual([block.cid.toString()]);
  // A fetch of bytes beside one that needs none gets its bytes.
  const both = await Promise.all([session.fetch(block.cid), fetchStored(block.cid)]);
  expect(Buffer.from(both[0]).toString()).toBe('stored');
  expect(both[1]).toEqual({ storedBytes: block.bytes.length });
});

test('a peer without a common store, or with a failing one, sends the bytes', async () => {
  const failing = async () => {
    throw new Error('the disk is full');
  };
  for (const store of [undefined, failing]) {
    const { peer, server, fetchStored } = await open(store);
    const block = blockOf('sent');
    peer.offer(block);
    const delivery = await fetchStored(block.cid);
    expect('bytes' in delivery && Buffer.from(delivery.bytes).toString()).toBe('sent');
    expect(server.errors).toHaveLength(store === undefined ? 0 : 1);
  }
});

test('blocks that wait for the disk bound the fetches that begin', async () => {
  let writing = 0;
  let most = 0;
  let release = () => {};
  const released = new Promise<void>((resolve) => {
    release = resolve;
  });
  const { peer, fetchStored } = await open(async ({ bytes }) => {
    writing += bytes.length;
    most = Math.max(most, writing);
    await released;
    writing -= bytes.length;
  });
  const blocks = Array.from({ length: 200 }, (_, at) => blockOf(`${at} `.padEnd(1024 * 1024, 'x')));
  for (const block of blocks) peer.offer(block);
  const fetches = Promise.all(blocks.map(({ cid }) => fetchStored(cid)));
  while (writing < 16 * 1024 * 1024) await new Promise((resolve) => setTimeout(resolve, 5));
  release();
  expect(await fetches).toHaveLength(200);
  expect(most).toBeLessThan(100 * 1024 * 1024);
});
