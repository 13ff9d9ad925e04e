// Loads the Promise.withResolvers shim for Node 20.
import '@cairn/bitswap/libp2p';
import type { Libp2p } from '@libp2p/interface';
import type { KadDHT } from '@libp2p/kad-dht';
import { multiaddr } from '@multiformats/multiaddr';
import type { Datastore } from 'interface-datastore';
import { freePort } from '../../../../tools/peers/free-port.mjs';
import { startKubo } from '../../../../tools/peers/kubo.mjs';

/** Protocol of the DHT among private addresses. */
export const lanProtocol = '/ipfs/lan/kad/1.0.0';

export interface KuboNode {
  readonly peer: string;
  readonly address: string;
  call(path: string, init?: RequestInit): Promise<Response>;
  /** Returns the providers that Kubo finds. */
  findProviders(cid: string): Promise<readonly string[]>;
  stop(): Promise<void>;
}

/** Starts a Kubo that is a server of the DHT on loopback, or returns undefined where Kubo is not built. */
export async function startDhtKubo(
  routing: Record<string, unknown> = { Type: 'dhtserver' },
): Promise<KuboNode | undefined> {
  const port = await freePort();
  const kubo = await startKubo({
    isOffline: false,
    config: (config) => {
      config.Addresses = { ...(config.Addresses as object), Swarm: [`/ip4/127.0.0.1/tcp/${port}`] };
      config.Routing = { ...routing, LoopbackAddressesOnLanDHT: true };
      if (routing.Type === 'delegated') config.Provide = { Enabled: false };
      config.Discovery = { MDNS: { Enabled: false } };
    },
  });
  if (kubo === undefined) return undefined;
  const call = async (path: string, init: RequestInit = {}) => {
    const options = { method: 'POST', signal: AbortSignal.timeout(60_000), ...init };
    const response = await fetch(`${kubo.url}/api/v0/${path}`, options);
    if (!response.ok) throw new Error(`Kubo refused ${path}: ${await response.text()}`);
    return response;
  };
  const { ID: peer } = (await (await call('id')).json()) as { ID: string };
  return {
    peer,
    address: `/ip4/127.0.0.1/tcp/${port}/p2p/${peer}`,
    call,
    async findProviders(cid) {
      const text = await (await call(`routing/findprovs?arg=${cid}&num-providers=3`)).text();
      const lines = text.split('\n').filter((line) => line !== '');
      const events = lines.map((line) => JSON.parse(line) as { Type: number; Responses: { ID: string }[] | null });
      return events.flatMap(({ Type, Responses }) => (Type === 4 ? (Responses ?? []).map(({ ID }) => ID) : []));
    },
    stop: kubo.stop,
  };
}

/** Starts a js-libp2p node that is a server of the DHT and connects it to others. */
export async function startDhtNode(
  others: readonly KuboNode[],
  datastore?: Datastore,
): Promise<{ readonly node: Libp2p; readonly dht: KadDHT }> {
  const { kadDHT, passthroughMapper } = await import('@libp2p/kad-dht');
  const { createLibp2p } = await import('libp2p');
  const { tcp } = await import('@libp2p/tcp');
  const { noise } = await import('@libp2p/noise');
  const { yamux } = await import('@libp2p/yamux');
  const { identify } = await import('@libp2p/identify');
  const { ping } = await import('@libp2p/ping');
  const node = await createLibp2p({
    ...(datastore && { datastore }),
    addresses: { listen: ['/ip4/127.0.0.1/tcp/0'] },
    transports: [tcp()],
    connectionEncrypters: [noise()],
    streamMuxers: [yamux()],
    services: {
      identify: identify(),
      ping: ping(),
      dht: kadDHT({ protocol: lanProtocol, peerInfoMapper: passthroughMapper, clientMode: false }),
    },
  });
  for (const { address } of others) await node.dial(multiaddr(address));
  return { node, dht: node.services.dht };
}
