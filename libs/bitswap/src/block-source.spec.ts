import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createMemoryBlockstore, openLmdbBlockstore } from '@cairn/blockstore';
import { rawBlock } from '@cairn/blockstore/testing';
import type { CID } from '@cairn/cid';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { blockSourceFromBlockstore, openBitswap } from './index.ts';
import { createMemoryNetwork, type MemoryNetwork } from './testing/index.ts';

const limits = { requestMsMin: 40, requestMsMax: 200, recheckMs: 100, presenceMs: 20 };
const closing: (() => unknown)[] = [];
let directory: string;
let network: MemoryNetwork;

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'cairn-bitswap-'));
  network = createMemoryNetwork();
});
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
  rmSync(directory, { recursive: true });
});

/** Peer over an LMDB store, as the peer process opens it. */
async function lmdbPeer(name: string, limitsOfPeer = limits) {
  const errors: unknown[] = [];
  const store = await openLmdbBlockstore({ directory: join(directory, name) });
  closing.push(() => store.close());
  const source = blockSourceFromBlockstore(store, { quarantine: store, onError: (error) => errors.push(error) });
  const engine = await openBitswap({ transport: network.transport(name), source, limits: limitsOfPeer });
  closing.push(() => engine.close());
  return { store, engine, source, errors };
}

/** Opens a store again, as another process does: it does not see blocks that are not committed. */
async function otherProcess(name: string) {
  const store = await openLmdbBlockstore({ directory: join(directory, name) });
  closing.push(() => store.close());
  return store;
}

const waitsFor = async (condition: () => boolean) => {
  while (!condition()) await new Promise((resolve) => setTimeout(resolve, 5));
};

test('a waiting peer gets a block of another process after announce, and without it after a recheck', async () => {
  const [alice, bob] = [await lmdbPeer('alice'), await lmdbPeer('bob')];
  network.connect('alice', 'bob');
  const writer = await otherProcess('bob');
  const [announced, silent] = [rawBlock('announced'), rawBlock('silent')];
  const first = alice.engine.fetch(announced.cid);
  await waitsFor(() => bob.engine.wantlist('alice').length === 1);
  await writer.putMany([announced]);
  await writer.sync();
  bob.engine.announce([announced.cid]);
  await first;
  const second = alice.engine.fetch(silent.cid);
  await waitsFor(() => bob.engine.wantlist('alice').length === 1);
  await writer.putMany([silent]);
  await writer.sync();
  await second;
});

test('blocks that another process collects behind the engines are answered as absent and fetched again', async () => {
  const [alice, bob] = [await lmdbPeer('alice'), await lmdbPeer('bob')];
  network.connect('alice', 'bob');
  const atBob = await otherProcess('bob');
  const blocks = Array.from({ length: 30 }, (_, at) => rawBlock(`collected ${at}`.repeat(300)));
  const cids = blocks.map(({ cid }) => cid);
  await bob.store.putMany(blocks);
  for (let round = 0; round < 3; round++) await Promise.all(cids.map((cid) => alice.engine.fetch(cid)));
  // The server has cached presences of these blocks.
  for (const cid of cids) await atBob.delete(cid);
  const again = cids.map((cid) => alice.engine.fetch(cid));
  await waitsFor(() => bob.engine.wantlist('alice').length > 0);
  await atBob.putMany(blocks);
  await atBob.sync();
  await Promise.all(again);
});

test('long corrupt blocks among many long and short ones are the only ones that are not served', async () => {
  const store = createMemoryBlockstore();
  const lengths = [10, 40_000, 300_000, 5000, 140_000, 33_000, 200_000, 64_000];
  const blocks = lengths.map((length, seed) => rawBlock(Buffer.alloc(length, `block ${seed} `)));
  const isCorrupt = (at: number) => at === 2 || at === 5;
  const changed = (bytes: Uint8Array) => Uint8Array.from(bytes, (byte, at) => (at === 30_000 ? byte ^ 1 : byte));
  await store.putMany(blocks.map(({ cid, bytes }, at) => ({ cid, bytes: isCorrupt(at) ? changed(bytes) : bytes })));
  const errors: unknown[] = [];
  const source = blockSourceFromBlockstore(store, { onError: (error) => errors.push(error) });
  const read = await source.blocks(blocks.map(({ cid }) => cid));
  expect(read.map((bytes) => bytes?.length)).toEqual(lengths.map((length, at) => (isCorrupt(at) ? undefined : length)));
  expect(errors).toHaveLength(2);
});

test('a corrupt block is never served, is quarantined, and does not delay others', async () => {
  // No request reaches its deadline, so that no block is sent twice.
  const alice = await lmdbPeer('alice', { ...limits, requestMsMin: 60_000, requestMsMax: 60_000 });
  const bob = await lmdbPeer('bob');
  const [good, bad] = [rawBlock('good'), { ...rawBlock('bad'), bytes: Buffer.from('changed') }];
  await bob.store.putMany([good, bad]);
  await bob.store.sync();
  network.connect('alice', 'bob');
  const refused = alice.engine.fetch(bad.cid, { signal: AbortSignal.timeout(300) });
  await alice.engine.fetch(good.cid);
  await expect(refused).rejects.toThrow();
  expect(bob.errors).toEqual([expect.objectContaining({ code: 'BLOCK_CORRUPT' })]);
  const quarantined: CID[] = [];
  for await (const cid of bob.store.quarantined()) quarantined.push(cid);
  expect(quarantined.map(String)).toEqual([bad.cid.toString()]);
  expect(bob.engine.stats().bytesSent).toBe(good.bytes.length);
});
