import { randomBytes } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { cidFor, parseCid } from '@cairn/cid';
import type { PeerApi, RoutingEvent } from '@cairn/peer-api';
import type { RunningService } from '@cairn/service-kit/testing';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { howToEnable, peerBinary } from '../../../tools/peers/binaries.mjs';
import { freePort } from '../../../tools/peers/free-port.mjs';
import { type LoopbackKubo, openHome, startLoopbackKubo } from './network.fixture.ts';

const hasKubo = peerBinary('kubo') !== undefined;
if (!hasKubo) process.stderr.write(`IPFS peer with Kubo: ${howToEnable('kubo')}\n`);

/** Kubo as a server of the DHT of private networks, on loopback. */
const asDhtServer = (config: Record<string, object | undefined>) => {
  config.Routing = { Type: 'dhtserver', LoopbackAddressesOnLanDHT: true };
};

async function started(kubo: Promise<LoopbackKubo | undefined>): Promise<LoopbackKubo> {
  const running = await kubo;
  if (running === undefined) throw new Error(howToEnable('kubo'));
  return running;
}

/** Returns the result of a search once it has one: routing tables fill in the background. */
async function eventually<T>(search: () => Promise<T | undefined>): Promise<T> {
  for (;;) {
    const found = await search();
    if (found !== undefined) return found;
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
}

async function firstOf(
  events: AsyncIterable<RoutingEvent>,
  isFound: (event: RoutingEvent) => boolean,
): Promise<RoutingEvent | undefined> {
  try {
    for await (const event of events) if (isFound(event)) return event;
  } catch {
    // The search found nothing yet.
  }
  return undefined;
}

(hasKubo ? describe : describe.skip)('a DHT of two Kubo nodes and this service', () => {
  let home: Awaited<ReturnType<typeof openHome>>;
  let service: RunningService;
  let api: PeerApi;
  let near: LoopbackKubo;
  let far: LoopbackKubo;
  let env: Readonly<Record<string, string>> = {};

  beforeAll(async () => {
    home = await openHome();
    [near, far] = await Promise.all([started(startLoopbackKubo(asDhtServer)), started(startLoopbackKubo(asDhtServer))]);
    await far.call(`swarm/connect?arg=${near.address}`);
    const address = `/ip4/127.0.0.1/tcp/${await freePort()}`;
    // Only the first Kubo is known: everything else is found.
    env = { IPFS_PEER_LISTEN: address, IPFS_PEER_ROUTING: 'dhtserver', IPFS_PEER_BOOTSTRAP: near.address };
    service = await home.start(env);
    api = home.connect(service.url);
  });
  afterAll(async () => {
    await api?.close();
    await service?.stop();
    await Promise.all([near?.stop(), far?.stop()]);
    await home?.close();
  });

  test('the address of a node is found', async () => {
    const event = await eventually(() => firstOf(api.routing.findPeer(far.peer), ({ type }) => type === 'peer'));
    expect(event).toMatchObject({ provider: { peer: far.peer } });
    const { mode, buckets } = await api.routing.status();
    expect(mode).toBe('server');
    expect(buckets.flatMap(({ peers }) => peers)).toContain(near.peer);
  });

  test('a provider that Kubo announced is found, and its content is fetched without a hint', async () => {
    const bytes = randomBytes(3000);
    const [root = ''] = await far.add(bytes);
    await far.call(`routing/provide?arg=${root}`);
    const cid = parseCid(root);
    const event = await eventually(() => firstOf(api.routing.findProviders(cid), ({ type }) => type === 'provider'));
    expect(event).toMatchObject({ provider: { peer: far.peer } });
    await api.swarm.disconnect(`/p2p/${far.peer}`).catch(() => {});
    const fetched = await api.exchange.fetch(cid, { signal: AbortSignal.timeout(60_000) });
    expect(Buffer.from(fetched).equals(bytes)).toBe(true);
  });

  test('Kubo finds a provider that this service announced, and fetches from it', async () => {
    const bytes = randomBytes(3000);
    const cid = cidFor(bytes, { codec: 'raw' });
    await home.store.putMany([{ cid, bytes }]);
    await home.store.sync();
    await home.pin('alice', cid.toString());
    const { id } = await api.describe();
    for await (const event of api.routing.provide([cid])) expect(event.type).not.toBe('provider');
    await eventually(async () => {
      const lines = (await far.call(`routing/findprovs?arg=${cid}&num-providers=1`)).split('\n').filter(Boolean);
      return lines.some((line) => line.includes(id)) || undefined;
    });
    // The record that this node stores itself is no response of a peer.
    const peers = [];
    for await (const event of api.routing.findProviders(cid)) if (event.type === 'response') peers.push(event.peer);
    expect(peers).not.toContain(id);
    const { Key: key } = JSON.parse(await far.call(`block/stat?arg=${cid}`)) as { Key: string };
    expect(key).toBe(cid.toString());
  });

  test('many blocks are announced in one sweep, and Kubo finds each of them', async () => {
    const blocks = Array.from({ length: 200 }, () => randomBytes(64)).map((bytes) => ({
      cid: cidFor(bytes, { codec: 'raw' }),
      bytes,
    }));
    await home.store.putMany(blocks);
    const cids = blocks.map(({ cid }) => cid);
    const events = [];
    for await (const event of api.routing.provide(cids)) events.push(event);
    expect(events).toEqual([]);
    const { id } = await api.describe();
    for (const cid of [cids[0], cids[99], cids[199]])
      await eventually(async () => {
        const lines = await far.call(`routing/findprovs?arg=${cid}&num-providers=1`);
        return lines.includes(id) || undefined;
      });
  });

  test('a peer whose addresses are not known is not found', async () => {
    const lost = '12D3KooWHwBjJEM57c1Ejd3Cy5RNvxTRq5QEPhJV528LTNHdeEd2';
    // A failed dial leaves the peer in the peer store, without an address.
    await expect(api.swarm.connect(`/ip4/127.0.0.1/tcp/1/p2p/${lost}`)).rejects.toMatchObject({ code: 'DIAL_FAILED' });
    const events = [];
    const search = async () => {
      for await (const event of api.routing.findPeer(lost)) events.push(event);
    };
    await expect(search()).rejects.toMatchObject({ code: 'PEER_NOT_FOUND' });
  });

  test('the nodes that are closest to a peer ID or to a CID are found', async () => {
    const blake2b = 'bafk2bzacedz7cn66eceti3r2ds5tivisgjcmsho7dxffm2ciqgmauzkzfyxba';
    for (const key of [far.peer, cidFor(randomBytes(8), { codec: 'raw' }).toString(), blake2b]) {
      const found = [];
      for await (const event of api.routing.findClosest(key)) if (event.type === 'peer') found.push(event.provider);
      expect(found.find(({ peer }) => peer === far.peer)?.addresses).not.toEqual([]);
      const peers = found.map(({ peer }) => peer);
      expect(peers).toContain(far.peer);
      expect(new Set(peers).size).toBe(peers.length);
    }
  });

  test('an address filter refuses connections in both directions, also after a restart', async () => {
    const closed = async () => (await api.swarm.peers()).length === 0 || undefined;
    await api.swarm.addFilters(['/ip4/127.0.0.0/ipcidr/8']);
    for (const { peer } of await api.swarm.peers()) await api.swarm.disconnect(`/p2p/${peer}`).catch(() => {});
    await eventually(closed);
    await expect(api.swarm.connect(far.address)).rejects.toMatchObject({ code: 'DIAL_FAILED' });
    await service.stop('SIGKILL');
    await api.close();
    service = await home.start(env);
    api = home.connect(service.url);
    expect(await api.swarm.filters()).toEqual(['/ip4/127.0.0.0/ipcidr/8']);
    const [address = ''] = (await api.describe()).addresses;
    await expect(far.call(`swarm/connect?arg=${address}`)).rejects.toThrow();
    await api.swarm.removeFilters(['all']);
    await api.swarm.connect(far.address);
  });

  test('ping measures the latency of a node that was only found', async () => {
    // The process has restarted: it must be in the DHT again to find the node.
    while ((await api.routing.status()).buckets.every(({ peers }) => peers.length === 0))
      await new Promise((resolve) => setTimeout(resolve, 50));
    const answers = [];
    for await (const answer of api.ping(far.peer, { count: 1 })) answers.push(answer.isSuccess);
    expect(answers).toEqual([true]);
  });
});

(hasKubo ? describe : describe.skip)('a private network', () => {
  const swarmKey = `/key/swarm/psk/1.0.0/\n/base16/\n${randomBytes(32).toString('hex')}\n`;
  let home: Awaited<ReturnType<typeof openHome>>;
  let member: LoopbackKubo;
  let stranger: LoopbackKubo;
  let service: RunningService;
  let api: PeerApi;

  beforeAll(async () => {
    home = await openHome();
    writeFileSync(join(home.home, 'swarm.key'), swarmKey);
    [member, stranger] = await Promise.all([
      started(startLoopbackKubo(() => {}, { swarmKey })),
      started(startLoopbackKubo()),
    ]);
    service = await home.start({ IPFS_PEER_SWARM_KEY_FILE: join(home.home, 'swarm.key') });
    api = home.connect(service.url);
  });
  afterAll(async () => {
    await api?.close();
    await service?.stop();
    await Promise.all([member?.stop(), stranger?.stop()]);
    await home?.close();
  });

  test('a Kubo with the key is reached in both directions, one without it in neither', async () => {
    const [own = ''] = (await api.describe()).addresses;
    await api.swarm.connect(member.address);
    const [root = ''] = await member.add(randomBytes(1000));
    const fetched = await api.exchange.fetch(parseCid(root), { signal: AbortSignal.timeout(60_000) });
    expect(fetched).toHaveLength(1000);
    await api.swarm.disconnect(member.address);
    await member.call(`swarm/connect?arg=${own}`);
    expect((await api.swarm.peers()).map(({ peer, direction }) => [peer, direction])).toEqual([
      [member.peer, 'inbound'],
    ]);
    await expect(api.swarm.connect(stranger.address)).rejects.toMatchObject({ code: 'DIAL_FAILED' });
    await expect(stranger.call(`swarm/connect?arg=${own}`)).rejects.toThrow('failure');
  });
});
