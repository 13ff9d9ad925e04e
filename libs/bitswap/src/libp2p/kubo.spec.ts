import { randomBytes } from 'node:crypto';
import { createMemoryBlockstore } from '@cairn/blockstore';
import { cidFor, parseCid, verifyBytes } from '@cairn/cid';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { howToEnable, peerBinary } from '../../../../tools/peers/binaries.mjs';
import { type Bitswap, blockSourceFromBlockstore, openBitswap } from '../index.ts';
import { createLibp2pTransport, createNode } from './index.ts';
import { startLoopbackKubo } from './kubo.fixture.ts';

const hasKubo = peerBinary('kubo') !== undefined;
if (!hasKubo) process.stderr.write(`bitswap with Kubo: ${howToEnable('kubo')}\n`);

(hasKubo ? describe : describe.skip)('with a real Kubo', () => {
  const store = createMemoryBlockstore();
  const excluded: string[] = [];
  let kubo: NonNullable<Awaited<ReturnType<typeof startLoopbackKubo>>>;
  let node: Awaited<ReturnType<typeof createNode>>;
  let engine: Bitswap;

  beforeAll(async () => {
    const started = await startLoopbackKubo();
    if (started === undefined) throw new Error(howToEnable('kubo'));
    kubo = started;
    node = await createNode({ listen: ['/ip4/127.0.0.1/tcp/0'] });
    engine = await openEngine();
  });

  const openEngine = () =>
    openBitswap({
      transport: createLibp2pTransport(node),
      source: blockSourceFromBlockstore(store),
      onExcluded: (peer) => excluded.push(peer),
    });

  /**
   * Waits for an answer on the connection, which Kubo reads in order: it has then seen the end of earlier streams. A request that
   * it writes to a stream before that is lost, and it does not repeat it.
   */
  async function kuboHasReadAll(): Promise<void> {
    const [connection] = node.getConnections();
    // With two protocols the names are negotiated before the stream is returned.
    const stream = await connection?.newStream(['/ipfs/id/1.0.0', '/ipfs/ping/1.0.0']);
    await stream?.close();
  }

  afterAll(async () => {
    await engine?.close();
    await node?.stop();
    await kubo?.stop();
  });

  test('a file is fetched from Kubo, and Kubo fetches it back after its garbage collection, twice', async () => {
    const cids = await kubo.add(randomBytes(8 * 1024 * 1024));
    const [root = ''] = cids;
    const session = engine.openSession({ providers: [kubo.provider] });
    const signal = AbortSignal.timeout(60_000);
    const fetched = await Promise.all(cids.map((cid) => session.fetch(parseCid(cid), { signal })));
    await store.putMany(fetched.map((bytes, at) => ({ cid: parseCid(cids[at] ?? ''), bytes })));
    expect((await store.stats()).blocks).toBe(cids.length);
    for (let round = 0; round < 2; round++) {
      await kubo.empty(root);
      const pinned = (await (await kubo.call(`pin/add?arg=${root}`)).json()) as { Pins: string[] };
      expect(pinned.Pins).toEqual([root]);
    }
    expect(engine.ledger(kubo.provider.peer).sentBytes).toBeGreaterThanOrEqual(2 * 8 * 1024 * 1024);
    expect(excluded).toEqual([]);
  });

  test('Kubo gets a block that is put while it waits', async () => {
    const bytes = randomBytes(5000);
    const cid = cidFor(bytes, { codec: 'raw' });
    await kubo.call(`swarm/connect?arg=${encodeURIComponent(String(node.getMultiaddrs()[0]))}`);
    const waiting = kubo.call(`block/get?arg=${cid}`);
    while (!engine.wantlist(kubo.provider.peer).some((want) => want.equals(cid)))
      await new Promise((resolve) => setTimeout(resolve, 20));
    await store.putMany([{ cid, bytes }]);
    engine.announce([cid]);
    expect(Buffer.from(await (await waiting).arrayBuffer()).equals(bytes)).toBe(true);
  });

  test('blocks of CIDv0 and of other hash functions are fetched, and a fetch waits until Kubo has the block', async () => {
    const bytes = randomBytes(3000);
    const cid = cidFor(bytes, { codec: 'raw', hash: 'blake3' });
    const waiting = engine.fetch(cid, { signal: AbortSignal.timeout(60_000), providers: [kubo.provider] });
    const body = new FormData();
    body.append('file', new Blob([bytes]));
    await kubo.call('block/put?cid-codec=raw&mhtype=blake3', { body });
    expect(Buffer.from(await waiting).equals(bytes)).toBe(true);

    const file = new FormData();
    file.append('file', new Blob(['version 0']));
    const { Hash: version0 } = (await (await kubo.call('add?cid-version=0', { body: file })).json()) as {
      Hash: string;
    };
    expect(version0).toMatch(/^Qm/);
    const fetched = await engine.fetch(parseCid(version0), { signal: AbortSignal.timeout(60_000) });
    verifyBytes(parseCid(version0), fetched);
  });

  test('Kubo asks an engine that starts on a connection whose earlier engine was closed', async () => {
    await kubo.call(`swarm/connect?arg=${encodeURIComponent(String(node.getMultiaddrs()[0]))}`);
    await engine.close();
    await kuboHasReadAll();
    const bytes = randomBytes(4000);
    const cid = cidFor(bytes, { codec: 'raw' });
    const waiting = kubo.call(`block/get?arg=${cid}`);
    // Kubo fails to open a stream and takes this peer for dead.
    await new Promise((resolve) => setTimeout(resolve, 500));
    engine = await openEngine();
    await store.putMany([{ cid, bytes }]);
    engine.announce([cid]);
    expect(Buffer.from(await (await waiting).arrayBuffer()).equals(bytes)).toBe(true);
    await engine.close();
    engine = await openEngine();
    const [root = ''] = await kubo.add(randomBytes(2 * 1024 * 1024));
    const session = engine.openSession({ providers: [kubo.provider] });
    await session.fetch(parseCid(root), { signal: AbortSignal.timeout(30_000) });
    session.close();
  });
});
