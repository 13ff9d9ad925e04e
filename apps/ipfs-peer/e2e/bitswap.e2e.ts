import { randomBytes } from 'node:crypto';
import { type CID, parseCid, verifyBytes } from '@cairn/cid';
import type { PeerApi } from '@cairn/peer-api';
import type { RunningService } from '@cairn/service-kit/testing';
import { importTree, profiles } from '@cairn/unixfs';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { howToEnable, peerBinary } from '../../../tools/peers/binaries.mjs';
import { freePort } from '../../../tools/peers/free-port.mjs';
import { type LoopbackKubo, openHome, startLoopbackKubo } from './network.fixture.ts';

const MiB = 1024 * 1024;
const hasKubo = peerBinary('kubo') !== undefined;
if (!hasKubo) process.stderr.write(`IPFS peer with Kubo: ${howToEnable('kubo')}\n`);

async function* content(bytes: Uint8Array) {
  yield bytes;
}

(hasKubo ? describe : describe.skip)('bitswap of the service with a real Kubo', () => {
  let home: Awaited<ReturnType<typeof openHome>>;
  let service: RunningService;
  let api: PeerApi;
  let kubo: LoopbackKubo;
  const env: Record<string, string> = {};

  beforeAll(async () => {
    home = await openHome();
    const started = await startLoopbackKubo();
    if (started === undefined) throw new Error(howToEnable('kubo'));
    kubo = started;
    env.IPFS_PEER_API_PORT = String(await freePort());
    env.IPFS_PEER_ADMIN_PORT = String(await freePort());
    env.IPFS_PEER_LISTEN = `/ip4/127.0.0.1/tcp/${await freePort()},/ip4/127.0.0.1/tcp/0/ws`;
    service = await home.start(env);
    api = home.connect(service.url);
  });
  afterAll(async () => {
    await api?.close();
    await service?.stop();
    await kubo?.stop();
    await home?.close();
  });

  test('Kubo fetches content of the store', async () => {
    const bytes = randomBytes(3 * MiB);
    let root = '';
    const entries = [{ path: 'file.bin', content: content(bytes) }];
    for await (const { cid, isRoot } of importTree(entries, home.store, profiles['unixfs-v1-2025']))
      if (isRoot) root = cid.toString();
    await home.store.sync();
    await home.pin('alice', root);
    await api.swarm.connect(kubo.address);
    const pinned = JSON.parse(await kubo.call(`pin/add?arg=${root}`)) as { Pins: string[] };
    expect(pinned.Pins).toEqual([root]);
    const { sentBytes } = await api.bitswap.ledger(kubo.peer);
    expect(sentBytes).toBeGreaterThanOrEqual(bytes.length);
  });

  test('fetched blocks of Kubo have their bytes, and the process stores none of them', async () => {
    const cids = (await kubo.add(randomBytes(3 * MiB))).map(parseCid);
    const session = api.exchange.openSession({ providers: [kubo.provider] });
    const signal = AbortSignal.timeout(60_000);
    for (const [at, bytes] of (await Promise.all(cids.map((cid) => session.fetch(cid, { signal })))).entries())
      verifyBytes(cids[at] as CID, bytes);
    session.close();
    for (const cid of cids) expect(await home.store.has(cid)).toBe(false);
  });

  test('Kubo gets a block that is announced while it waits', async () => {
    const bytes = randomBytes(5000);
    const [root = ''] = await kubo.add(bytes);
    await kubo.call(`pin/rm?arg=${root}`);
    await kubo.call('repo/gc');
    const waiting = kubo.call(`pin/add?arg=${root}`);
    while ((await api.bitswap.wantlist(kubo.peer)).length === 0)
      await new Promise((resolve) => setTimeout(resolve, 20));
    await home.store.putMany([{ cid: parseCid(root), bytes }]);
    await home.store.sync();
    await home.pin('alice', root);
    api.exchange.announce([parseCid(root)]);
    expect(JSON.parse(await waiting)).toEqual({ Pins: [root] });
  });

  test('a fetch survives kill -9 of the peer, and the next process has the same peer ID and address', async () => {
    const { id, addresses } = await api.describe();
    const [first, ...rest] = (await kubo.add(randomBytes(4 * MiB))).map(parseCid);
    const session = api.exchange.openSession({ providers: [kubo.provider] });
    const signal = AbortSignal.timeout(60_000);
    const fetches = Promise.all(rest.map((cid) => session.fetch(cid, { signal })));
    await service.stop('SIGKILL');
    service = await home.start(env);
    expect(await fetches).toHaveLength(rest.length);
    expect(first && (await session.fetch(first, { signal }))).toBeDefined();
    const again = await api.describe();
    expect([again.id, again.addresses[0]]).toEqual([id, addresses[0]]);
  });

  test('requests without a valid service token get 401', async () => {
    for (const authorization of ['', 'Bearer wrong', `Bearer ${(await home.token()).slice(0, -1)}`]) {
      const { status } = await fetch(`${service.url}/peer/v1/describe`, { method: 'POST', headers: { authorization } });
      expect(status).toBe(401);
    }
  });

  test('health and metrics name the node and its traffic', async () => {
    const admin = `http://127.0.0.1:${env.IPFS_PEER_ADMIN_PORT}`;
    expect(await (await fetch(`${admin}/readyz`)).json()).toMatchObject({ status: 'ok', dependencies: { node: 'ok' } });
    const metrics = await (await fetch(`${admin}/metrics`)).text();
    for (const name of ['connections', 'bytes_total', 'bitswap_blocks_total', 'refused_addresses_total'])
      expect(metrics).toContain(`cairn_ipfs_peer_${name}{`);
    const { totalIn } = await api.bandwidth({ peer: kubo.peer });
    expect(totalIn).toBeGreaterThan(0);
  });

  test('a listen address in use and a wrong multiaddr end the start with the setting to change', async () => {
    const other = await openHome();
    const listen = env.IPFS_PEER_LISTEN ?? '';
    await expect(other.start({ IPFS_PEER_LISTEN: listen.split(',')[0] ?? '' })).rejects.toThrow('set IPFS_PEER_LISTEN');
    await expect(other.start({ IPFS_PEER_PEERING: '/ip4/1.1.1.1/tcp/1' })).rejects.toThrow('IPFS_PEER_PEERING');
    await other.close();
  });

  test('the service ends with exit code 0 and closes its connections', async () => {
    await api.swarm.connect(kubo.address);
    await service.stop();
    expect(service.process.exitCode).toBe(0);
    const peers = async () => (JSON.parse(await kubo.call('swarm/peers')) as { Peers: readonly object[] | null }).Peers;
    // Kubo drops a connection from its list a moment after its end.
    while (((await peers()) ?? []).length > 0) await new Promise((resolve) => setTimeout(resolve, 50));
  });
});
