import { randomBytes } from 'node:crypto';
import { parseCid } from '@cairn/cid';
import type { PeerApi } from '@cairn/peer-api';
import type { RunningService } from '@cairn/service-kit/testing';
import { importTree, profiles } from '@cairn/unixfs';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { howToEnable, peerBinary } from '../../../tools/peers/binaries.mjs';
import { freePort } from '../../../tools/peers/free-port.mjs';
import { type LoopbackKubo, openHome, startLoopbackKubo } from './network.fixture.ts';

const hasKubo = peerBinary('kubo') !== undefined;

async function* content(bytes: Uint8Array) {
  yield bytes;
}

const startDhtKubo = () =>
  startLoopbackKubo((config) => {
    config.Routing = { Type: 'dhtserver', LoopbackAddressesOnLanDHT: true };
    config.Discovery = { MDNS: { Enabled: false } };
  });

(hasKubo ? describe : describe.skip)('announcements of the service in a DHT of three Kubo nodes', () => {
  let home: Awaited<ReturnType<typeof openHome>>;
  let service: RunningService;
  let api: PeerApi;
  let kubos: LoopbackKubo[] = [];
  const env: Record<string, string> = {};

  beforeAll(async () => {
    home = await openHome();
    kubos = (await Promise.all([startDhtKubo(), startDhtKubo(), startDhtKubo()])).filter((kubo) => kubo !== undefined);
    if (kubos.length < 3) throw new Error(howToEnable('kubo'));
    for (const kubo of kubos)
      for (const other of kubos) if (other !== kubo) await kubo.call(`swarm/connect?arg=${other.address}`);
    env.IPFS_PEER_API_PORT = String(await freePort());
    env.IPFS_PEER_ADMIN_PORT = String(await freePort());
    env.IPFS_PEER_LISTEN = `/ip4/127.0.0.1/tcp/${await freePort()}`;
    env.IPFS_PEER_ROUTING = 'dhtserver';
    env.IPFS_PEER_BOOTSTRAP = kubos.map(({ address }) => address).join();
    service = await home.start(env);
    api = home.connect(service.url);
  });
  afterAll(async () => {
    await api?.close();
    await service?.stop();
    await Promise.all(kubos.map((kubo) => kubo.stop()));
    await home?.close();
  });

  const add = async () => {
    let root = '';
    // More than one block: the root has another codec than its leaves.
    for await (const { cid, isRoot } of importTree(
      [{ path: 'file.bin', content: content(randomBytes(1_100_000)) }],
      home.store,
      profiles['unixfs-v1-2025'],
    ))
      if (isRoot) root = cid.toString();
    await home.store.sync();
    return root;
  };
  const providersOf = async (kubo: LoopbackKubo | undefined, root: string) => {
    const lines = ((await kubo?.call(`routing/findprovs?arg=${root}`)) ?? '').split('\n').filter(Boolean);
    const events = lines.map((line) => JSON.parse(line) as { Type: number; Responses: { ID: string }[] | null });
    return events.flatMap(({ Type, Responses }) => (Type === 4 ? (Responses ?? []).map(({ ID }) => ID) : []));
  };
  const untilAnnounced = async (count: number) => {
    for (;;) {
      const { records, waiting } = await api.provide.status();
      if (records === count && waiting === 0) return;
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  };

  test('each Kubo finds a pinned root and fetches it, also after kill -9 of the peer', async () => {
    const root = await add();
    await home.pin('ann', root);
    await untilAnnounced(1);
    const { id } = await api.describe();
    for (const kubo of kubos) expect(await providersOf(kubo, root)).toContain(id);
    expect(JSON.parse((await kubos[0]?.call(`pin/add?arg=${root}`)) ?? '{}')).toEqual({ Pins: [root] });
    await service.stop('SIGKILL');
    service = await home.start(env);
    expect(await providersOf(kubos[1], root)).toContain(id);
    // The announcement was stored, so that the next process does not repeat it.
    expect(await api.provide.status()).toMatchObject({
      records: 1,
      waiting: 0,
      announced: 0,
      failed: 0,
      isOnline: true,
    });
    expect((await api.provide.status()).oldestSeconds).toBeGreaterThanOrEqual(0);
  });

  test('a root without a pin is no longer announced', async () => {
    const root = await add();
    await home.pin('ann', root);
    await untilAnnounced(2);
    await home.unpin('ann', root);
    await api.provide.removed([parseCid(root)]);
    expect(await api.provide.status()).toMatchObject({ records: 1 });
  });

  test('the metrics report the announcements', async () => {
    const read = async () => {
      const response = await fetch(`http://127.0.0.1:${env.IPFS_PEER_ADMIN_PORT}/metrics`);
      return await response.text();
    };
    while (!/^cairn_provide_records(\{.*\})? 1$/m.test(await read()))
      await new Promise((resolve) => setTimeout(resolve, 200));
    expect(await read()).toMatch(/^cairn_provide_waiting(\{.*\})? 0$/m);
  });
});
