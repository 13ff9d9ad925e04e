import { fileURLToPath } from 'node:url';
import { type RunningService, startService } from '@cairn/service-kit/testing';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { howToEnable, peerBinary } from '../../../tools/peers/binaries.mjs';
import { freePort } from '../../../tools/peers/free-port.mjs';
import { startKubo } from '../../../tools/peers/kubo.mjs';
import { inTableOf, type Kubo, startKuboPeer } from './network/network.ts';
import { PeerProcess } from './peer-process.ts';
import { noise, Service } from './service.ts';

const gatewayMain = fileURLToPath(new URL('../../ipfs-gateway/dist/main.js', import.meta.url));

if (peerBinary('kubo') === undefined) {
  // Prints the reason, since Jest does not show the names of skipped tests.
  process.stderr.write(`${howToEnable('kubo')}\n`);
  test.skip(howToEnable('kubo'), () => {});
} else describe('delegated routing with real Kubos', delegatedRouting);

function delegatedRouting(): void {
  const service = new Service();
  let peer: PeerProcess;
  let gateway: RunningService;
  let provider: Kubo;
  let router: Kubo;
  let client: NonNullable<Awaited<ReturnType<typeof startKubo>>>;

  const call = async ({ url }: { readonly url: string }, path: string, init: RequestInit = {}) => {
    const answer = await fetch(`${url}/api/v0/${path}`, { method: 'POST', ...init });
    if (!answer.ok) throw new Error(`Kubo refused ${path}: ${await answer.text()}`);
    return Buffer.from(await answer.arrayBuffer());
  };

  beforeAll(async () => {
    await service.makeAccounts();
    const routerPort = await freePort();
    [provider, router] = await Promise.all([
      startKuboPeer(),
      startKuboPeer((config) => {
        config.Addresses = { ...(config.Addresses as object), Gateway: [`/ip4/127.0.0.1/tcp/${routerPort}`] };
        config.Gateway = { ...(config.Gateway as object), ExposeRoutingAPI: true };
      }),
    ]);
    await call(provider, `swarm/connect?arg=${router.address}`);
    await Promise.all([inTableOf(provider, router.id), inTableOf(router, provider.id)]);
    // Without a DHT, the router of Kubo is the only way to its provider, and the own router lists the pins.
    peer = new PeerProcess(service.home, {
      IPFS_PEER_ROUTING: 'none',
      IPFS_PEER_DELEGATED_ROUTERS: `http://127.0.0.1:${routerPort}`,
    });
    await peer.start();
    await service.start({ IPFS_PEER_URL: peer.url, STORAGE_BLOCK_WAIT_SECONDS: '30' });
    gateway = await startService({
      main: gatewayMain,
      home: service.home,
      env: { IPFS_PEER_URL: peer.url, IPFS_GATEWAY_ACCESS: 'public' },
    });
    const started = await startKubo({
      isOffline: false,
      config: (config) => {
        config.Provide = { Enabled: false };
        config.Routing = { Type: 'delegated', DelegatedRouters: [gateway.url] };
      },
    });
    if (started === undefined) throw new Error(howToEnable('kubo'));
    client = started;
  });
  afterAll(async () => {
    await Promise.all([client, provider, router].map((kubo) => kubo?.stop()));
    await gateway?.stop();
    await service.remove();
    await peer?.stop();
  });

  test('Kubo finds this node by its router /routing/v1 alone, and fetches from it', async () => {
    const bytes = noise(700_000, 7);
    const [line] = await service.add(bytes, '?cid-version=1');
    const { ID } = (await (await service.post('id')).json()) as { readonly ID: string };
    let found = '';
    while (!found.includes(ID)) found = String(await call(client, `routing/findprovs?arg=${line?.Hash}`));
    expect((await call(client, `cat?arg=${line?.Hash}`)).equals(bytes)).toBe(true);
  });

  test('content that only the router of a Kubo knows is read', async () => {
    const bytes = noise(600_000, 8);
    const body = new FormData();
    body.append('file', new Blob([new Uint8Array(bytes)]));
    const { Hash } = JSON.parse(String(await call(provider, 'add?cid-version=1&quieter=true', { body })));
    await call(provider, `routing/provide?arg=${Hash}`);
    const answer = await service.post(`cat?arg=${Hash}`);
    expect([answer.status, Buffer.from(await answer.arrayBuffer()).equals(bytes)]).toEqual([200, true]);
  });
}
