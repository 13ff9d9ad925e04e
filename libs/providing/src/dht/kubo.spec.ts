import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { cidFor } from '@cairn/cid';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { Libp2p } from '@libp2p/interface';
import type { KadDHT } from '@libp2p/kad-dht';
import { peerBinary } from '../../../../tools/peers/binaries.mjs';
import { openLmdbProvideStore, ProvideSchedule, type ProvideSource } from '../index.ts';
import { DhtDatastore } from './dht-datastore.ts';
import { createDhtRouter } from './dht-router.ts';
import { type KuboNode, lanProtocol, startDhtKubo, startDhtNode } from './kubo-dht.fixture.ts';

const cidOf = (text: string) => cidFor(Buffer.from(text), { codec: 'raw' });
const everything: ProvideSource = { async *cids() {}, includes: async () => true };
const testWithKubo = peerBinary('kubo') === undefined ? describe.skip : describe;

testWithKubo('the DHT of three Kubo nodes', () => {
  const home = mkdtempSync(join(tmpdir(), 'cairn-providing-'));
  let kubos: KuboNode[] = [];
  let node: Libp2p;
  let dht: KadDHT;
  let datastore: DhtDatastore;

  beforeAll(async () => {
    const started = await Promise.all([startDhtKubo(), startDhtKubo(), startDhtKubo()]);
    kubos = started.filter((kubo) => kubo !== undefined);
    for (const kubo of kubos)
      for (const other of kubos) if (kubo !== other) await kubo.call(`swarm/connect?arg=${other.address}`);
    datastore = await DhtDatastore.open({ directory: join(home, 'dht') });
    ({ node, dht } = await startDhtNode(kubos, datastore));
  });

  afterAll(async () => {
    await node?.stop();
    await datastore?.close();
    await Promise.all(kubos.map((kubo) => kubo.stop()));
    rmSync(home, { recursive: true });
  });

  const open = async () => {
    const store = await openLmdbProvideStore({ directory: join(home, 'providing') });
    const announcer = createDhtRouter({ node, dht, protocol: lanProtocol });
    const failures: unknown[] = [];
    const schedule = new ProvideSchedule({
      store,
      announcer,
      source: everything,
      onEvent: (event) => event.type === 'failed' && failures.push(event.error),
    });
    schedule.start();
    const close = async () => {
      await schedule.stop();
      await store.close();
    };
    return { schedule, announcer, failures, close };
  };

  const untilAnnounced = async (schedule: ProvideSchedule, count: number) => {
    while ((await schedule.counts()).announced < count) await new Promise((resolve) => setTimeout(resolve, 50));
  };

  test('each Kubo finds this node after an add, and after a restart without a further announcement', async () => {
    const first = await open();
    const cids = Array.from({ length: 300 }, (_, at) => cidOf(`content ${at}`));
    await first.schedule.added(cids);
    await untilAnnounced(first.schedule, 300);
    expect(first.failures).toEqual([]);
    const { waiting, lookups } = await first.schedule.counts();
    expect(waiting).toBe(0);
    expect(lookups).toBeLessThanOrEqual(16);
    await first.close();
    const second = await open();
    const sample = [0, 1, 50, 150, 299].map((at) => cids[at]?.toString() ?? '');
    for (const kubo of kubos)
      for (const cid of sample) expect(await kubo.findProviders(cid)).toContain(node.peerId.toString());
    expect(await second.schedule.counts()).toMatchObject({ records: 300, waiting: 0, announced: 0 });
    await second.close();
  });

  test('this node finds the content of a Kubo, and its address', async () => {
    const { announcer, close } = await open();
    const [kubo] = kubos;
    if (kubo === undefined) throw new Error('There is no Kubo.');
    const body = new FormData();
    body.append('file', new Blob(['content of Kubo']));
    const { Hash: cid } = (await (await kubo.call('add?cid-version=1&raw-leaves=true', { body })).json()) as {
      Hash: string;
    };
    await (await kubo.call(`routing/provide?arg=${cid}`)).text();
    const found: (string | undefined)[] = [];
    for await (const { peer } of announcer.findProviders(cidOf('content of Kubo'))) found.push(peer);
    expect(found).toContain(kubo.peer);
    const { peer, addresses = [] } = (await announcer.findPeer(kubo.peer)) ?? {};
    expect(peer).toBe(kubo.peer);
    expect(addresses.map((address) => address.replace(/\/p2p\/.*/, ''))).toContain(
      kubo.address.replace(/\/p2p\/.*/, ''),
    );
    // This node is a server of the DHT as well, and keeps the record of Kubo.
    expect(datastore.count()).toBeGreaterThan(0);
    await close();
  });
});
