import type { BlockExchange, ExchangeSession, FetchOptions, Provider } from '@cairn/block-exchange';
import type { Block } from '@cairn/blockstore/core';
import type { CID } from '@cairn/cid';
import { PeerApiError } from '../errors.ts';
import type { ConnectedPeer, NodeDescription, PeerApi } from '../peer-api.ts';

/** {@link PeerApi} over a network in memory, for tests of its users. */
export interface MemoryPeerApi extends PeerApi {
  /** Gives the other node a block. Waiting fetches get it. */
  offer(block: Block): void;
  /** The only other node. */
  readonly other: { readonly peer: string; readonly address: string };
  /** Announced blocks, in order. */
  readonly announced: readonly CID[];
  /** Providers that fetches and sessions were given, in order. */
  readonly hints: readonly Provider[];
}

const id = '12D3KooWGC6TvWhfapngX6wvJHMYvKpDMXPb3ZnCZ6dMoaMtimQ5';
const other = {
  peer: '12D3KooWJRSrypvnpHgc6ZAgyCni4KcSmbV7uGRaMw5LgMKT18fq',
  address: '/ip4/203.0.113.5/tcp/4001/p2p/12D3KooWJRSrypvnpHgc6ZAgyCni4KcSmbV7uGRaMw5LgMKT18fq',
};

/** Creates a {@link MemoryPeerApi}. */
export function createMemoryPeerApi(): MemoryPeerApi {
  const network = new MemoryNetwork();
  const connections = new Map<string, ConnectedPeer>();
  const peering = new Map<string, Provider>();
  const filters = new Set<string>();
  const records = new Map<string, Uint8Array>();
  const roots = new Map<string, CID>();
  const describe = (peer: string): NodeDescription => ({
    id: peer,
    publicKey: 'CAESIA==',
    addresses: peer === id ? [`/ip4/127.0.0.1/tcp/4001/p2p/${id}`] : [other.address],
    agentVersion: 'memory/1',
    protocolVersion: 'ipfs/0.1.0',
    protocols: ['/ipfs/bitswap/1.2.0'],
  });
  const known = (peer: string) => {
    if (peer !== other.peer) throw new PeerApiError('PEER_NOT_FOUND', `Peer ${peer} was not found.`);
    return { peer, addresses: [other.address] };
  };
  return {
    other,
    announced: network.announced,
    hints: network.hints,
    offer: (block) => network.offer(block),
    exchange: network.exchange,
    describe: async (peer = id) => describe(peer === id ? id : known(peer).peer),
    swarm: {
      peers: async () => [...connections.values()],
      addresses: async () => new Map([[other.peer, [other.address]]]),
      listenAddresses: async () => ['/ip4/127.0.0.1/tcp/4001'],
      async connect(address) {
        const peer = peerOf(address);
        if (address !== other.address) throw new PeerApiError('DIAL_FAILED', `Peer ${peer} cannot be dialled.`);
        connections.set(peer, { peer, address, direction: 'outbound', agentVersion: 'memory/1', streams: [] });
        return { peer };
      },
      async disconnect(address) {
        const peer = peerOf(address);
        if (!connections.delete(peer))
          throw new PeerApiError('PEER_NOT_CONNECTED', `There is no connection to ${peer}.`);
        return { peer };
      },
      peering: async () => [...peering.values()],
      async addPeering(address) {
        const peer = peerOf(address);
        peering.set(peer, { peer, addresses: [address.slice(0, address.lastIndexOf('/p2p/'))] });
        return { peer };
      },
      removePeering: async (peer) => void peering.delete(peer),
      filters: async () => [...filters],
      async addFilters(added) {
        const wrong = added.find((text) => !/^\/ip[46]\/[^/]+\/ipcidr\/\d+$/.test(text));
        if (wrong !== undefined) throw new PeerApiError('ADDRESS_INVALID', `${wrong} is not an address filter.`);
        for (const filter of added) filters.add(filter);
      },
      removeFilters: async (removed) => removed.filter((filter) => filters.delete(filter)),
    },
    bitswap: {
      status: async () => ({ ...network.counters, wantlist: network.wantlist, peers: [...connections.keys()] }),
      wantlist: async (peer) => (peer === undefined || peer === id ? network.wantlist : []),
      ledger: async (peer) => ({ peer, sentBytes: 0, receivedBytes: 0, exchangedBlocks: 0 }),
    },
    routing: {
      async *findProviders(cid) {
        yield { type: 'query', peer: other.peer };
        if (network.has(cid)) yield { type: 'provider', provider: { peer: other.peer, addresses: [other.address] } };
      },
      async *findPeer(peer) {
        yield { type: 'peer', provider: known(peer) };
      },
      async *findClosest(peer) {
        yield { type: 'query', peer: other.peer };
        yield { type: 'peer', provider: known(peer) };
      },
      async *provide(cids) {
        for (const cid of cids) roots.set(cid.toString(), cid);
        yield { type: 'query', peer: other.peer };
      },
      async get(key) {
        const value = records.get(Buffer.from(key).toString('hex'));
        if (value === undefined) throw new PeerApiError('RECORD_NOT_FOUND', 'There is no record of this key.');
        return value;
      },
      put: async (key, value) => void records.set(Buffer.from(key).toString('hex'), value),
      status: async () => ({ mode: 'client', buckets: [{ prefixBits: 1, peers: [other.peer] }] }),
    },
    async *ping(peer, { count = 10 } = {}) {
      known(peer);
      for (let index = 0; index < count; index++) yield { isSuccess: true, latencyMs: 1, text: '' };
    },
    bootstrapAddresses: async () => [other.address],
    async bandwidth({ peer = other.peer } = {}) {
      const totalIn = peer === other.peer ? network.counters.bytesReceived : 0;
      return { totalIn, totalOut: 0, rateIn: 0, rateOut: 0 };
    },
    provide: {
      status: async () => ({ records: roots.size, waiting: 0, announced: roots.size, failed: 0 }),
      async added(list) {
        for (const cid of list) roots.set(cid.toString(), cid);
      },
      async removed(list) {
        for (const cid of list) roots.delete(cid.toString());
      },
    },
    close: () => network.exchange.close(),
  };
}

function peerOf(address: string): string {
  const peer = /\/p2p\/([^/]+)$/.exec(address)?.[1];
  if (peer === undefined)
    throw new PeerApiError('ADDRESS_INVALID', `The address ${address} has no peer ID at its end.`, {
      hint: 'End it with /p2p/ and the peer ID.',
    });
  return peer;
}

/** Blocks of the other node, and fetches that wait for them. */
class MemoryNetwork {
  readonly announced: CID[] = [];
  readonly hints: Provider[] = [];
  readonly counters = {
    blocksReceived: 0,
    bytesReceived: 0,
    duplicateBlocks: 0,
    duplicateBytes: 0,
    blocksSent: 0,
    bytesSent: 0,
    messagesReceived: 0,
  };
  readonly #offered = new Map<string, Uint8Array>();
  readonly #waiting = new Map<CID, () => void>();

  get wantlist(): CID[] {
    return [...this.#waiting.keys()];
  }

  has(cid: CID): boolean {
    return this.#offered.has(cid.toString());
  }

  offer({ cid, bytes }: Block): void {
    this.#offered.set(cid.toString(), bytes);
    for (const wake of this.#waiting.values()) wake();
  }

  readonly exchange: BlockExchange = {
    fetch: (cid, options) => this.#fetch(cid, options),
    openSession: ({ providers = [] } = {}): ExchangeSession => {
      this.hints.push(...providers);
      const ended = new AbortController();
      return {
        fetch: (cid, options = {}) => {
          const signal = options.signal ? AbortSignal.any([ended.signal, options.signal]) : ended.signal;
          return this.#fetch(cid, { ...options, signal });
        },
        addProviders: (added) => void this.hints.push(...added),
        close: () => ended.abort(new PeerApiError('PEER_CLOSED', 'The session was closed.')),
      };
    },
    announce: (cids) => void this.announced.push(...cids),
    peers: () => [
      {
        peer: other.peer,
        bytesReceived: this.counters.bytesReceived,
        bytesSent: 0,
        blocksReceived: this.counters.blocksReceived,
        blocksSent: 0,
      },
    ],
    close: async () => {},
  };

  async #fetch(cid: CID, { signal, providers = [] }: FetchOptions = {}): Promise<Uint8Array> {
    this.hints.push(...providers);
    for (;;) {
      signal?.throwIfAborted();
      const bytes = this.#offered.get(cid.toString());
      if (bytes !== undefined) {
        this.counters.blocksReceived++;
        this.counters.bytesReceived += bytes.length;
        return bytes;
      }
      await this.#wait(cid, signal);
    }
  }

  #wait(cid: CID, signal?: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      // A copy, since each waiting fetch has an entry of its own.
      const key = Object.create(cid) as CID;
      const done = () => {
        this.#waiting.delete(key);
        signal?.removeEventListener('abort', done);
        resolve();
      };
      this.#waiting.set(key, done);
      signal?.addEventListener('abort', done, { once: true });
    });
  }
}
