import { BufferPool, createMemoryBlockstore } from '@cairn/blockstore';
import { type CID, cidFor, verifyBytes } from '@cairn/cid';
import { afterEach, expect, test } from '@jest/globals';
import fc from 'fast-check';
import {
  allPolicies,
  type Bitswap,
  type BitswapOptions,
  blockSourceFromBlockstore,
  openBitswap,
  serveNothing,
} from './index.ts';
import { createMemoryNetwork, type MemoryNetwork } from './testing/index.ts';

const limits = {
  requestMsMin: 40,
  requestMsMax: 200,
  searchMs: 20,
  searchAgainMs: 200,
  recheckMs: 100,
  presenceMs: 20,
  openMs: 1000,
};
const opened: Bitswap[] = [];

afterEach(async () => {
  for (const engine of opened.splice(0)) await engine.close();
});

async function peer(network: MemoryNetwork, name: string, options: Partial<BitswapOptions> = {}) {
  const store = createMemoryBlockstore();
  const source = blockSourceFromBlockstore(store);
  const engine = await openBitswap({
    transport: network.transport(name),
    source,
    ...options,
    limits: { ...limits, ...options.limits },
  });
  opened.push(engine);
  const put = async (...list: Uint8Array[]) => {
    const blocks = list.map((bytes) => ({ cid: cidFor(bytes, { codec: 'raw' }), bytes }));
    await store.putMany(blocks);
    return blocks.map(({ cid }) => cid);
  };
  return { name, engine, store, source, put };
}

const block = (seed: number, length = 2000) => Buffer.alloc(length, `block ${seed} `);
const blocks = (count: number, length?: number) => Array.from({ length: count }, (_, seed) => block(seed, length));
const cidOf = (bytes: Uint8Array) => cidFor(bytes, { codec: 'raw' });
const until = async (condition: () => boolean | Promise<boolean>) => {
  while (!(await condition())) await new Promise((resolve) => setTimeout(resolve, 5));
};

test('fetch returns the blocks of a connected peer and leaves storing them to the caller', async () => {
  const network = createMemoryNetwork();
  // No request reaches its deadline, so that no block is sent twice.
  const alice = await peer(network, 'alice', { limits: { requestMsMin: 60_000 } });
  const bob = await peer(network, 'bob');
  const cids = await bob.put(...blocks(300));
  network.connect('alice', 'bob');
  for (const [at, bytes] of (await Promise.all(cids.map((cid) => alice.engine.fetch(cid)))).entries())
    expect(Buffer.from(bytes).equals(block(at))).toBe(true);
  expect((await alice.store.stats()).blocks).toBe(0);
  expect(alice.engine.stats()).toMatchObject({ blocksReceived: 300, duplicateBlocks: 0, wantlist: 0 });
  await until(() => bob.engine.stats().peersWants === 0);
  expect(bob.engine.ledger('alice').sentBytes).toBe(300 * 2000);
});

test('a server that rests begins no message before the rest ends, and then serves all peers', async () => {
  const network = createMemoryNetwork();
  let rests = 0;
  const begun: number[] = [];
  const restMs = () => {
    begun.push(performance.now());
    return ++rests <= 3 ? 60 : 0;
  };
  const server = await peer(network, 'server', { restMs, limits: { requestMsMin: 60_000 } });
  const cids = await server.put(...blocks(5));
  const fetched = Array.from({ length: 6 }, async (_, at) => {
    const reader = await peer(network, `reader ${at}`, { limits: { requestMsMin: 60_000 } });
    network.connect(`reader ${at}`, 'server');
    return await Promise.all(cids.map((cid) => reader.engine.fetch(cid)));
  });
  for (const list of await Promise.all(fetched)) expect(list).toHaveLength(5);
  const gaps = begun.slice(1, 4).map((at, index) => at - (begun[index] ?? 0));
  for (const gap of gaps) expect(gap).toBeGreaterThanOrEqual(59);
});

test('each of very many wants is asked for again after a refusal', async () => {
  const network = createMemoryNetwork();
  const alice = await peer(network, 'alice');
  const bob = await peer(network, 'bob', { limits: { recheckMs: 600_000 } });
  network.connect('alice', 'bob');
  const list = blocks(5000, 40);
  const fetches = list.map((bytes) => alice.engine.fetch(cidOf(bytes)));
  await until(() => bob.engine.stats().peersWants === 5000);
  // Bob does not learn of these blocks, and answers only to a new request.
  await bob.put(...list);
  expect((await Promise.all(fetches)).length).toBe(5000);
});

test('a long block is in a lent buffer if its only reader gives it back', async () => {
  const network = createMemoryNetwork();
  const buffers = new BufferPool({ bytesMax: 4 * 1024 * 1024 });
  const alice = await peer(network, 'alice', { buffers });
  const bob = await peer(network, 'bob');
  network.connect('alice', 'bob');
  const long = (seed: number) => block(seed, 256 * 1024);
  const [lent, shared, kept] = await bob.put(long(1), long(2), long(3));
  const { engine } = alice;
  const own = await engine.fetch(lent as CID, { buffers });
  const [one, two] = await Promise.all([engine.fetch(shared as CID, { buffers }), engine.fetch(shared as CID)]);
  const plain = await engine.fetch(kept as CID);
  expect([own, one, two, plain].map((bytes) => buffers.isLent(bytes))).toEqual([true, false, false, false]);
  buffers.giveBack(own);
  // The next block overwrites the buffer that was given back, and no other one.
  const [next] = await bob.put(long(4));
  expect((await engine.fetch(next as CID, { buffers })).buffer).toBe(own.buffer);
  expect([own, one, two, plain].map((bytes) => cidOf(bytes).toString())).toEqual(
    [4, 2, 2, 3].map((seed) => cidOf(long(seed)).toString()),
  );
});

test('fetch connects to the given providers', async () => {
  const network = createMemoryNetwork();
  const [alice, bob] = [await peer(network, 'alice'), await peer(network, 'bob')];
  const [cid] = await bob.put(block(1));
  expect(block(1).equals(await alice.engine.fetch(cid as CID, { providers: [{ peer: 'bob' }] }))).toBe(true);
});

test('fetch searches providers when no connected peer has the block', async () => {
  const network = createMemoryNetwork();
  const bob = await peer(network, 'bob');
  const searched: string[] = [];
  const alice = await peer(network, 'alice', {
    search: {
      async *findProviders(cid) {
        searched.push(cid.toString());
        yield { peer: 'bob' };
      },
    },
  });
  await peer(network, 'carol');
  network.connect('alice', 'carol');
  const [cid] = await bob.put(block(1));
  await alice.engine.fetch(cid as CID);
  expect(searched).toEqual([String(cid)]);
});

test('equal fetches share one request, and one that is aborted does not end the other', async () => {
  const network = createMemoryNetwork();
  const [alice, bob] = [await peer(network, 'alice'), await peer(network, 'bob')];
  network.connect('alice', 'bob');
  const abort = new AbortController();
  const cid = cidOf(block(1));
  const aborted = alice.engine.fetch(cid, { signal: abort.signal });
  const kept = alice.engine.fetch(cid);
  abort.abort(new Error('changed my mind'));
  await expect(aborted).rejects.toThrow('changed my mind');
  expect(alice.engine.wantlist()).toHaveLength(1);
  bob.engine.announce(await bob.put(block(1)));
  await kept;
  expect(bob.engine.stats().blocksSent).toBe(1);
});

test('an aborted fetch cancels the want at the peer', async () => {
  const network = createMemoryNetwork();
  const [alice, bob] = [await peer(network, 'alice'), await peer(network, 'bob')];
  network.connect('alice', 'bob');
  const abort = new AbortController();
  const fetching = alice.engine.fetch(cidOf(block(1)), { signal: abort.signal });
  await until(() => bob.engine.wantlist('alice').length === 1);
  abort.abort();
  await expect(fetching).rejects.toThrow();
  await until(() => bob.engine.wantlist('alice').length === 0);
  expect(alice.engine.wantlist()).toEqual([]);
});

test('blocks are split over the peers that have them', async () => {
  const network = createMemoryNetwork();
  const alice = await peer(network, 'alice');
  const others = await Promise.all(['bob', 'carol', 'dave'].map((name) => peer(network, name)));
  const cids = cidsOf(blocks(600));
  for (const other of others) {
    await other.put(...blocks(600));
    network.connect('alice', other.name);
  }
  await Promise.all(cids.map((cid) => alice.engine.fetch(cid)));
  for (const other of others) expect(other.engine.stats().blocksSent).toBeGreaterThan(20);
  expect(alice.engine.stats().duplicateBlocks).toBeLessThan(60);
});

function cidsOf(list: readonly Uint8Array[]): CID[] {
  return list.map(cidOf);
}

test('a block that is put later is sent to the waiting peer, also after it was deleted', async () => {
  const network = createMemoryNetwork();
  const [alice, bob] = [await peer(network, 'alice'), await peer(network, 'bob')];
  network.connect('alice', 'bob');
  const [cid] = (await bob.put(block(1))) as [CID];
  await alice.engine.fetch(cid);
  await alice.store.delete(cid);
  await bob.store.delete(cid);
  const again = alice.engine.fetch(cid);
  await until(() => bob.engine.wantlist('alice').length === 1);
  bob.engine.announce(await bob.put(block(1)));
  await again;
  // A put that is not reported is found by the periodic check.
  await bob.store.delete(cid);
  const third = alice.engine.fetch(cid);
  await until(() => bob.engine.wantlist('alice').length === 1);
  await bob.put(block(1));
  await third;
});

test('a refused block is answered like an absent one', async () => {
  const network = createMemoryNetwork();
  const alice = await peer(network, 'alice');
  const denied = cidOf(block(1)).toString();
  const policy = { mayServe: (cids: readonly CID[]) => cids.map((cid) => cid.toString() !== denied) };
  const bob = await peer(network, 'bob', { policy });
  const [first, second] = (await bob.put(block(1), block(2))) as [CID, CID];
  network.connect('alice', 'bob');
  const refused = alice.engine.fetch(first, { signal: AbortSignal.timeout(300) });
  await alice.engine.fetch(second);
  await expect(refused).rejects.toThrow();
  expect(bob.engine.stats().blocksSent).toBe(1);
});

test('a refused block is sent after it is allowed and announced, or found by the periodic check', async () => {
  const network = createMemoryNetwork();
  const alice = await peer(network, 'alice');
  const allowed = new Set<string>();
  const pinned = { mayServe: (cids: readonly CID[]) => cids.map((cid) => allowed.has(cid.toString())) };
  const all = { mayServe: async (cids: readonly CID[]) => cids.map(() => true) };
  const bob = await peer(network, 'bob', { policy: allPolicies([all, pinned]) });
  const [first, second] = (await bob.put(block(1), block(2))) as [CID, CID];
  network.connect('alice', 'bob');
  const fetching = [alice.engine.fetch(first), alice.engine.fetch(second)];
  await until(() => bob.engine.wantlist('alice').length === 2);
  allowed.add(first.toString());
  bob.engine.announce([first]);
  await fetching[0];
  allowed.add(second.toString());
  await fetching[1];
  const carol = await peer(network, 'carol', { policy: serveNothing });
  await carol.put(block(3));
  await expect(
    alice.engine.fetch(cidOf(block(3)), { providers: [{ peer: 'carol' }], signal: AbortSignal.timeout(200) }),
  ).rejects.toThrow();
});

test('every fetch ends with the right bytes under loss, delay, duplicates and reconnects', async () => {
  const fate = fc.record({
    copies: fc.oneof({ weight: 8, arbitrary: fc.constant(1) }, fc.constant(0), fc.constant(2)),
    delayMs: fc.oneof({ weight: 3, arbitrary: fc.constant(0) }, fc.nat(30)),
  });
  await fc.assert(
    fc.asyncProperty(fc.array(fate, { minLength: 1 }), fc.array(fc.nat(20), { maxLength: 3 }), async (fates, cuts) => {
      let at = 0;
      // Few messages are lost: each lost round of requests takes a deadline, and 200 losses in a row took 14 seconds.
      const network = createMemoryNetwork({
        fate: () => (at++ < 40 && fates[at % fates.length]) || { copies: 1, delayMs: 0 },
      });
      const alice = await peer(network, 'alice');
      const [bob, carol] = [await peer(network, 'bob'), await peer(network, 'carol')];
      const list = blocks(40, 500);
      await bob.put(...list.filter((_, seed) => seed % 3 !== 0));
      await carol.put(...list.filter((_, seed) => seed % 3 !== 1));
      const fetches = cidsOf(list).map((cid) =>
        alice.engine.fetch(cid, { providers: [{ peer: 'bob' }, { peer: 'carol' }] }),
      );
      for (const cut of cuts) {
        await new Promise((resolve) => setTimeout(resolve, cut));
        network.disconnect('alice', cut % 2 === 0 ? 'bob' : 'carol');
      }
      for (const [seed, bytes] of (await Promise.all(fetches)).entries()) verifyBytes(cidOf(block(seed, 500)), bytes);
      expect(alice.engine.stats().wantlist).toBe(0);
      for (const engine of opened.splice(0)) await engine.close();
    }),
    { numRuns: 12 },
  );
});

test('an engine that starts on open connections clears the wants of an earlier engine', async () => {
  const network = createMemoryNetwork();
  const bob = await peer(network, 'bob');
  const first = await peer(network, 'alice');
  network.connect('alice', 'bob');
  const lost = first.engine.fetch(cidOf(block(1)));
  await until(() => bob.engine.wantlist('alice').length === 1);
  await Promise.allSettled([first.engine.close(), lost]);
  const again = await peer(network, 'alice');
  await until(() => bob.engine.wantlist('alice').length === 0);
  const [cid] = await bob.put(block(2));
  await again.engine.fetch(cid as CID);
});
