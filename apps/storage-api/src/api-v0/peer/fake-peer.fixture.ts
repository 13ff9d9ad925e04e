import type { PeerApi } from '@cairn/peer-api';

export const selfId = '12D3KooWHwBjJEM57c1Ejd3Cy5RNvxTRq5QEPhJV528LTNHdeEd2';
export const otherId = '12D3KooWPNWmog6rRrphuqVx2Ljk6B43FSZL3A1AmM5ioYr7ZMB4';

type PartialPeer = {
  readonly [Part in keyof PeerApi]?: PeerApi[Part] extends (...args: never[]) => unknown
    ? PeerApi[Part]
    : Partial<PeerApi[Part]>;
};

/** A peer that connects to nothing. `parts` replaces single methods. */
export function fakePeer(parts: PartialPeer = {}): PeerApi {
  const unexpected = () => {
    throw new Error('The test expects no such call.');
  };
  return {
    exchange: {
      fetch: unexpected,
      openSession: unexpected,
      announce: unexpected,
      peers: () => [],
      close: async () => {},
    },
    describe: parts.describe ?? (async (id = selfId) => nodeOf(id)),
    swarm: {
      peers: async () => [],
      addresses: async () => new Map(),
      listenAddresses: async () => ['/ip4/127.0.0.1/tcp/4001'],
      connect: unexpected,
      disconnect: unexpected,
      peering: async () => [],
      addPeering: unexpected,
      removePeering: async () => {},
      filters: async () => [],
      addFilters: unexpected,
      removeFilters: unexpected,
      ...parts.swarm,
    },
    bitswap: { status: unexpected, wantlist: async () => [], ledger: unexpected, ...parts.bitswap },
    routing: {
      findProviders: unexpected,
      findPeer: unexpected,
      findClosest: unexpected,
      provide: unexpected,
      get: unexpected,
      put: unexpected,
      status: async () => ({ mode: 'none', buckets: [] }),
      ...parts.routing,
    },
    ping: parts.ping ?? unexpected,
    bootstrapAddresses: parts.bootstrapAddresses ?? (async () => []),
    bandwidth: parts.bandwidth ?? unexpected,
    provide: { status: unexpected, added: async () => {}, removed: async () => {}, ...parts.provide },
    close: async () => {},
  };
}

export function nodeOf(id: string) {
  return {
    id,
    publicKey: 'CAESIMlkPr0rE4aSD/2FP2DOLI37vN/a7y69feAINE7PqBXX',
    addresses: [`/ip4/8.8.8.8/tcp/4001/p2p/${id}`, `/ip4/10.0.0.5/tcp/4001/p2p/${id}`],
    agentVersion: 'kubo/0.42.0',
    protocolVersion: 'ipfs/0.1.0',
    protocols: ['/ipfs/ping/1.0.0', '/ipfs/bitswap/1.2.0'],
  };
}
