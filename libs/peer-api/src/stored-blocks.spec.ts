import { type Block, BufferPool } from '@cairn/blockstore/core';
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

async function open(store?: StoreBlock, buffers?: BufferPool) {
  const peer = createMemoryPeerApi();
  const server = await serve(peer, 0, { store, buffers });
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

test('a store gives lent buffers back, and bytes that it refuses are copied before they are sent', async () => {
  const buffers = new BufferPool({ bytesMax: 1024 * 1024 });
  const blocks = [1, 2].map((seed) => blockOf(`${seed} `.padEnd(256 * 1024, 'x')));
  const lend = (block: Block) => {
    const bytes = buffers.take(block.bytes.length) ?? new Uint8Array();
    bytes.set(block.bytes);
    return { ...block, bytes };
  };
  let isFailing = false;
  const refused: Block[] = [];
  const { peer, fetchStored } = await open(async (block) => {
    if (isFailing) {
      refused.push(block);
      // A later try of the store succeeds, before the bytes have left.
      setImmediate(() => {
        block.lentBy?.giveBack(block.bytes);
        block.bytes.fill(0);
      });
      throw new Error('the disk is full');
    }
    block.lentBy?.giveBack(block.bytes);
  }, buffers);
  const [stored, sent] = blocks as [Block, Block];
  for (const block of blocks) peer.offer(lend(block));
  expect(await fetchStored(stored.cid)).toEqual({ storedBytes: stored.bytes.length });
  expect(buffers.freeBytes).toBeGreaterThan(0);
  isFailing = true;
  const delivery = await fetchStored(sent.cid);
  expect('bytes' in delivery && Buffer.from(delivery.bytes).equals(sent.bytes)).toBe(true);
  expect(refused.map(({ lentBy }) => lentBy)).toEqual([buffers]);
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
