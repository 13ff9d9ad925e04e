import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { create, type KuboRPCClient } from 'kubo-rpc-client';
import { CID } from 'multiformats';
import { howToEnable, peerBinary } from '../../../tools/peers/binaries.mjs';
import { inTableOf, type Kubo, Network, startKuboPeer } from './network/network.ts';
import { basic, noise } from './service.ts';

if (peerBinary('kubo') === undefined) {
  // Prints the reason, since Jest does not show the names of skipped tests.
  process.stderr.write(`${howToEnable('kubo')}\n`);
  test.skip(howToEnable('kubo'), () => {});
} else describe('node commands through the peer, with real Kubos', nodeCommands);

async function all<T>(source: AsyncIterable<T>): Promise<T[]> {
  const list: T[] = [];
  for await (const item of source) list.push(item);
  return list;
}

function nodeCommands(): void {
  const network = new Network();
  const kubos: Kubo[] = [];
  let [account, operator] = [] as unknown as [KuboRPCClient, KuboRPCClient];
  const kubo = () => kubos[0] as Kubo;
  const post = async (path: string, as = 'ann') => {
    const answer = await network.service.post(path, { as });
    return { status: answer.status, text: await answer.text() };
  };
  const refusal = (text: string) => (JSON.parse(text) as { Message: string }).Message;

  beforeAll(async () => {
    await network.start();
    kubos.push(await startKuboPeer(), await startKuboPeer());
    const url = `${network.service.url}/api/v0`;
    account = create({ url, headers: { authorization: basic('ann') } });
    operator = create({ url, headers: { authorization: basic('bob') } });
  });
  afterAll(async () => {
    for (const each of kubos) await each.stop();
    await network.remove();
  });

  test('id has the addresses of the peer, which an account sees where they are public', async () => {
    const self = await operator.id();
    expect(self.addresses.map(String)).toEqual([
      expect.stringMatching(new RegExp(`^/ip4/127\\.0\\.0\\.1/tcp/\\d+/p2p/${self.id}$`)),
    ]);
    expect(self.agentVersion).toMatch(/^cairn\//);
    expect(self.protocols).toContain('/ipfs/bitswap/1.2.0');
    const seen = await account.id();
    expect([String(seen.id), seen.addresses]).toEqual([String(self.id), []]);
  });

  test('swarm/connect, peers, addrs and disconnect work with a real Kubo', async () => {
    const { address, id } = kubo();
    expect(await operator.swarm.connect(address as never)).toEqual([`connect ${id} success`]);
    const peers = await operator.swarm.peers({ verbose: true });
    expect(peers.map(({ peer, addr, direction }) => [String(peer), String(addr), direction])).toEqual([
      [id, address.replace(`/p2p/${id}`, ''), 'outbound'],
    ]);
    const answer = JSON.parse((await post('swarm/peers?verbose=true', 'bob')).text);
    expect(answer.Peers[0].Identify).toMatchObject({ ID: id, AgentVersion: 'kubo/0.42.0', Addresses: [address] });
    const known = await operator.swarm.addrs();
    expect(known.map((peer) => String(peer.id))).toContain(id);
    expect((await operator.swarm.localAddrs()).length).toBeGreaterThan(0);
    const described = await operator.id({ peerId: peers[0]?.peer as never });
    expect([String(described.id), described.agentVersion]).toEqual([id, 'kubo/0.42.0']);
    // The DHT of either side may dial the other one again.
    for (let tries = 0; (await operator.swarm.peers()).length > 0 && tries < 50; tries++)
      await operator.swarm.disconnect(address as never);
    // No node knows the second Kubo yet.
    const other = kubos[1] as Kubo;
    const again = JSON.parse((await post(`swarm/disconnect?arg=${other.address}`, 'bob')).text);
    expect(again).toEqual({ Strings: [`disconnect ${other.id} failure: conn not found`] });
    await operator.swarm.connect(address as never);
  });

  test('swarm/peering keeps a connection', async () => {
    const { address, id } = kubo();
    const done = `{"ID":"${id}","Status":"success"}\n`;
    expect((await post(`swarm/peering/add?arg=${address}`, 'bob')).text).toBe(done);
    const listed = { Peers: [{ ID: id, Addrs: [address.replace(`/p2p/${id}`, '')] }] };
    expect(JSON.parse((await post('swarm/peering/ls', 'bob')).text)).toEqual(listed);
    expect((await post(`swarm/peering/rm?arg=${id}`, 'bob')).text).toBe(done);
    expect(JSON.parse((await post('swarm/peering/ls', 'bob')).text)).toEqual({ Peers: [] });
  });

  test('ping measures round trips to a connected Kubo', async () => {
    const lines = await all(account.ping(kubo().id as never, { count: 2 }));
    expect(lines.map(({ success }) => success)).not.toContain(false);
    expect(lines.filter(({ text }) => text === '')).toHaveLength(2);
    expect(lines.at(-1)?.text).toMatch(/^Average latency: \d+\.\d\dms$/);
  });

  test('routing/findprovs finds the Kubo that has a block, and Kubo finds what the account provides', async () => {
    // The three nodes form the DHT.
    const { id: self } = await operator.id();
    for (const each of kubos) {
      await operator.swarm.connect(each.address as never);
      await inTableOf(each, String(self));
    }
    const held = create({ url: `${kubos[1]?.url}/api/v0` });
    const { cid } = await held.add(noise(1000, 7), { cidVersion: 1, rawLeaves: true });
    await all(held.routing.provide(cid));
    const events = await all(account.routing.findProvs(cid, { numProviders: 1 }));
    const found = events.flatMap((event) => (event.name === 'PROVIDER' ? event.providers : []));
    expect(found.map(({ id }) => String(id))).toEqual([kubos[1]?.id]);

    const own = await account.add(noise(1000, 8), { cidVersion: 1, rawLeaves: true });
    expect((await post(`routing/provide?arg=${own.cid}`)).status).toBe(200);
    const { id } = await account.id();
    const seen = await all(held.routing.findProvs(own.cid, { numProviders: 1 }));
    const providers = seen.flatMap((event) => (event.name === 'PROVIDER' ? event.providers : []));
    expect(providers.map((provider) => String(provider.id))).toEqual([String(id)]);
  });

  test('routing/provide refuses what another account has pinned', async () => {
    const own = await operator.add(noise(1000, 9), { cidVersion: 1, rawLeaves: true });
    const { status, text } = await post(`routing/provide?arg=${own.cid}`);
    expect([status, refusal(text)]).toEqual([403, expect.stringContaining('this account has not pinned')]);
  });

  test('routing/findpeer finds the second Kubo', async () => {
    const events = await all(operator.routing.findPeer(kubos[1]?.id as never));
    const peers = events.flatMap((event) => (event.name === 'FINAL_PEER' ? [event] : []));
    expect(peers.map(({ peer }) => String(peer?.id))).toEqual([kubos[1]?.id]);
  });

  test('bitswap/stat counts blocks that Kubo fetches, and bandwidth counts bytes', async () => {
    const before = await operator.bitswap.stat();
    const { cid } = await operator.add(noise(200_000, 11), { cidVersion: 1, rawLeaves: true });
    const answer = await fetch(`${kubo().url}/api/v0/block/get?arg=${cid}`, { method: 'POST' });
    expect((await answer.arrayBuffer()).byteLength).toBe(200_000);
    const after = await operator.bitswap.stat();
    expect(after.blocksSent - before.blocksSent).toBe(1n);
    expect(after.peers.map(String)).toContain(kubo().id);
    const { peers, wantlist } = await account.bitswap.stat();
    expect([peers, wantlist]).toEqual([[], []]);
    expect(await operator.bitswap.wantlist()).toEqual([]);
    const ledger = JSON.parse((await post(`bitswap/ledger?arg=${kubo().id}`, 'bob')).text);
    expect(ledger).toMatchObject({ Peer: kubo().id, Sent: expect.any(Number) });
    expect(ledger.Sent).toBeGreaterThanOrEqual(200_000);
    const [bandwidth] = await all(operator.stats.bw());
    expect(bandwidth?.totalOut).toBeGreaterThanOrEqual(200_000n);
  });

  test('bootstrap, stats and config describe the peer for operators', async () => {
    expect((await operator.bootstrap.list()).Peers).toEqual([]);
    const dht = (await post('stats/dht', 'bob')).text.trim().split('\n');
    expect(dht.map((line) => JSON.parse(line).Name)).toEqual(['wan', 'lan']);
    expect(dht[0]).toContain(kubo().id);
    const provide = JSON.parse((await post('provide/stat', 'bob')).text);
    expect(provide.Sweep.connectivity.status).toBe('online');
    const config = (await operator.config.getAll()) as {
      Addresses?: { Swarm?: string[] };
      Routing?: { Type?: string };
    };
    expect(config.Addresses?.Swarm?.length).toBeGreaterThan(0);
    expect(config.Routing?.Type).toBe('dhtserver');
    expect(await account.config.getAll()).not.toHaveProperty('Addresses');
    expect(JSON.parse((await post('version/check', 'bob')).text)).toMatchObject({ UpdateAvailable: false });
    const { status, text } = await post('version/check?min-percent=x', 'bob');
    expect([status, text]).toEqual([400, 'could not convert value "x" to type "int" (for option "-min-percent")\n']);
  });

  test('an account sees no address of the private network', async () => {
    const paths = [
      'id',
      `id?arg=${kubo().id}`,
      `routing/findpeer?arg=${kubo().id}`,
      `ping?arg=${kubo().id}&count=1`,
      'config/show',
      'bitswap/stat',
      'stats/bw',
    ];
    for (const path of paths) {
      const { status, text } = await post(path);
      expect([path, status]).toEqual([path, 200]);
      expect(text).not.toContain('127.0.0.1');
    }
  });

  test('an account cannot make the peer dial an address', async () => {
    const unknown = '12D3KooWHwBjJEM57c1Ejd3Cy5RNvxTRq5QEPhJV528LTNHdeEd2';
    const target = `/ip4/127.0.0.1/tcp/22/p2p/${unknown}`;
    for (const path of ['swarm/connect', 'swarm/peering/add', 'swarm/disconnect', 'ping', 'bootstrap/add']) {
      const { status, text } = await post(`${path}?arg=${target}`);
      expect([path, status]).toEqual([path, 403]);
      expect(refusal(text)).toContain('`cairn key limit --grants node`');
    }
    // Without an address there is nothing to dial.
    const { text } = await post(`id?arg=${unknown}`);
    expect(refusal(text)).not.toMatch(/127\.0\.0\.1|ECONNREFUSED|refused/);
  });

  test('a search ends when the client disconnects', async () => {
    const controller = new AbortController();
    const absent = CID.parse('bafkreieogg3nlfsw2hfbomanvhdrw5bfftdn67pui7rcg6gqo4ofuramfa');
    const search = all(account.routing.findProvs(absent, { signal: controller.signal }));
    controller.abort();
    await expect(search).rejects.toThrow();
    // The permits are free again.
    for (let count = 0; count < 9; count++)
      expect((await post(`routing/findprovs?arg=${absent}&timeout=20s`)).status).toBe(200);
  });

  test('commands report that the peer is unavailable, and id still identifies the node', async () => {
    const { id } = await operator.id();
    await network.stopPeer();
    const { status, text } = await post('swarm/peers', 'bob');
    expect([status, refusal(text)]).toEqual([503, expect.stringContaining('IPFS peer does not answer')]);
    expect(refusal(text)).not.toContain('127.0.0.1');
    const self = await operator.id();
    expect([String(self.id), self.addresses]).toEqual([String(id), []]);
  });
}
