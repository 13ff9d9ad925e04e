import {
  type Bitswap,
  type BitswapLimits,
  blockSourceFromBlockstore,
  openBitswap,
  type ServingPolicy,
} from '@cairn/bitswap';
import { createLibp2pTransport } from '@cairn/bitswap/libp2p';
import { type BlockExchange, raceExchanges } from '@cairn/block-exchange';
import { type BatchReads, type Blockstore, BufferPool, type Collectable } from '@cairn/blockstore/core';
import { createRememberingVerifier } from '@cairn/cid';
import { type DescribeOptions, type PeerApi, PeerApiError } from '@cairn/peer-api';
import type { PeerIdentity } from '@cairn/peer-api/identity';
import { generateKeyPairFromSeed } from '@libp2p/crypto/keys';
import type { Datastore } from 'interface-datastore';
import { AddressFilters, type FilterStore } from './addresses/address-filters.ts';
import { AddressRules } from './addresses/address-rules.ts';
import { parsePeerAddress, parsePeerId } from './addresses/parse-address.ts';
import { BandwidthMeter } from './bandwidth/bandwidth-meter.ts';
import { describeKnownPeer, describeOwnNode } from './describe-node.ts';
import { peerLimits } from './limits.ts';
import { createNode, type Node, type NodeOptions, type RecordTypes, type RoutingMode } from './node/create-node.ts';
import { pingPeer } from './ping.ts';
import { type AnnounceNow, type FurtherRouter, Routing } from './routing/routing.ts';
import { OperatorDialer } from './swarm/dial.ts';
import { Peering } from './swarm/peering.ts';
import { closeSurplusConnections } from './swarm/surplus-connections.ts';
import { createSwarm } from './swarm/swarm.ts';

/** Announces blocks on a schedule. */
export type Providing = PeerApi['provide'] & { close(): Promise<void> };

export interface PeerOptions {
  readonly identity: PeerIdentity;
  /** Store that is served. The peer only reads it. */
  readonly store: Pick<Blockstore, 'get' | 'size'> & Partial<BatchReads>;
  /** Quarantines corrupt blocks. Default: they are only answered as absent. */
  readonly quarantine?: Pick<Collectable, 'quarantine'>;
  /** Multiaddresses to listen on. Default: none. */
  readonly listen?: readonly string[];
  /** Addresses to announce instead of the listened ones. */
  readonly announce?: readonly string[];
  /** Peers that are dialled at the start. Default: none. */
  readonly bootstrap?: readonly string[];
  /** Peers whose connections are kept open. Default: none. */
  readonly peering?: readonly string[];
  /** Default: `none`. */
  readonly routing?: RoutingMode;
  /** Routing systems that are asked for providers beside the DHT. Default: none. */
  readonly routers?: readonly FurtherRouter[];
  /** Validators and selectors of DHT records. Default: those of js-libp2p for `/pk/`. */
  readonly records?: RecordTypes;
  /** Allows dials of private addresses that peers announce. Default: no. */
  readonly allowsPrivate?: boolean;
  /** Keeps the filters of `swarm/filters`. Default: until the end of the process. */
  readonly filters?: FilterStore;
  /** The 32 bytes of the key of a private network. */
  readonly swarmKey?: Uint8Array | undefined;
  readonly connectionsMax?: number;
  /** Connections that stay when the maximum is reached. Default: three quarters of the maximum. */
  readonly connectionsMin?: number;
  /** Peers, DHT records and provider records. Default: memory, with a bound on the number of entries. */
  readonly datastore?: Datastore;
  readonly agentVersion?: string;
  /** Decides which blocks are served. Default: all. */
  readonly policy?: ServingPolicy;
  /** Milliseconds between the begins of two messages of blocks, because other work needs the processor. Default: no limit. */
  readonly restMs?: () => number;
  /** Limits of bitswap, such as bytes per second. */
  readonly limits?: Partial<BitswapLimits>;
  /** Creates what announces blocks on request. Default: one lookup in the DHT for each block. */
  readonly openAnnounceNow?: (node: Node) => AnnounceNow | undefined;
  /** Creates the schedule of announcements. Default: nothing is announced. */
  readonly openProviding?: (node: Node) => Promise<Providing>;
  /** Further sources of blocks. They race with bitswap, and the peer closes them. */
  readonly exchanges?: readonly BlockExchange[];
  /** Called with faults in the background. */
  readonly onError?: (error: unknown) => void;
}

/** Running peer. */
export interface IpfsPeer {
  readonly api: PeerApi;
  readonly node: Node;
  readonly bitswap: Bitswap;
  readonly rules: AddressRules;
  readonly bandwidth: BandwidthMeter;
  /** Lends the memory of received blocks to fetches with these `buffers`. */
  readonly buffers: BufferPool;
}

/** Starts an IPFS peer. `api.close` ends it. */
export async function openPeer(options: PeerOptions): Promise<IpfsPeer> {
  const { identity, store, agentVersion = 'cairn', exchanges = [], onError = () => {} } = options;
  const filters = await AddressFilters.open(options.filters);
  const rules = new AddressRules({ allowsPrivate: options.allowsPrivate ?? false, filters });
  const bandwidth = new BandwidthMeter();
  const node = await startNode({
    privateKey: await libp2pKey(identity),
    listen: options.listen ?? [],
    announce: options.announce ?? [],
    routing: options.routing ?? 'none',
    records: options.records ?? {},
    allowsPrivate: options.allowsPrivate ?? false,
    swarmKey: options.swarmKey,
    rules,
    bandwidth,
    agentVersion,
    ...(options.datastore !== undefined && { datastore: options.datastore }),
    ...(options.connectionsMax !== undefined && { connectionsMax: options.connectionsMax }),
  });
  node.addEventListener('connection:open', ({ detail }) => bandwidth.opened(detail));
  const routing = new Routing(node, options.routers, options.openAnnounceNow?.(node));
  const buffers = new BufferPool({ bytesMax: peerLimits.freeBufferBytesMax });
  const bitswap = await openBitswap({
    buffers,
    transport: createLibp2pTransport(node),
    source: blockSourceFromBlockstore(store, {
      onError,
      verify: createRememberingVerifier(),
      ...(options.quarantine !== undefined && { quarantine: options.quarantine }),
    }),
    onError,
    ...(options.policy !== undefined && { policy: options.policy }),
    ...(options.restMs !== undefined && { restMs: options.restMs }),
    ...(options.limits !== undefined && { limits: options.limits }),
    ...((options.routing !== 'none' || options.routers?.length) && { search: providerSearch(routing) }),
  });
  const dialer = new OperatorDialer(node, rules);
  const peering = new Peering(node, dialer);
  const { connectionsMax = peerLimits.connectionsMax } = options;
  const stopClosing = closeSurplusConnections(node, {
    max: connectionsMax,
    min: options.connectionsMin ?? Math.floor(connectionsMax * peerLimits.connectionsKept),
    isKept: (peer) => peering.has(peer),
    valueOf: (peer) => bitswap.ledger(peer).receivedBytes,
  });
  for (const address of options.peering ?? []) await peering.add(parsePeerAddress(address));
  const providing = await (options.openProviding ?? openNoProviding)(node);
  const bootstrap = options.bootstrap ?? [];
  for (const address of bootstrap) dialer.dial(parsePeerAddress(address)).catch(onError);
  const api: PeerApi = {
    exchange: exchanges.length === 0 ? bitswap : raceExchanges([bitswap, ...exchanges]),
    describe: (peer, options = {}) => describe(node, dialer, agentVersion, peer, options),
    swarm: createSwarm(node, { dialer, peering, filters }),
    bitswap: bitswapStatus(bitswap, node),
    routing: routing.api(),
    ping: (peer, pingOptions) => pingPeer(node, peer, pingOptions),
    bootstrapAddresses: async () => bootstrap,
    bandwidth: async (part) => bandwidth.read(part),
    provide: providing,
    async close() {
      await providing.close();
      stopClosing();
      peering.close();
      await Promise.all([bitswap, ...exchanges].map((exchange) => exchange.close()));
      await node.stop();
    },
  };
  return { api, node, bitswap, rules, bandwidth, buffers };
}

/** @throws LISTEN_FAILED with each address that failed */
async function startNode(options: NodeOptions): Promise<Node> {
  try {
    return await createNode(options);
  } catch (cause) {
    if (!(cause instanceof Error) || !/listen/i.test(`${cause.name} ${cause.message}`)) throw cause;
    throw new PeerApiError('LISTEN_FAILED', listenProblem(cause.message, options.listen), {
      hint: 'Stop the program that uses the port, such as a Kubo, or set IPFS_PEER_LISTEN to free ports and addresses of this machine.',
      cause,
    });
  }
}

/** Problem on one line. js-libp2p reports each failed address on a line `  <multiaddr>: <reason>`. */
function listenProblem(message: string, listen: readonly string[]): string {
  const failed = [...message.matchAll(/^\s*(\/\S+): (.*)$/gm)].map(
    ([, address, reason = '']) => `${address}: ${reason.includes('EADDRINUSE') ? 'the port is taken' : reason}`,
  );
  if (failed.length > 0) return `The node cannot listen on ${failed.join('; ')}.`;
  return `The node cannot listen on ${listen.join(',')}: ${message.replaceAll(/\s+/g, ' ')}.`;
}

async function libp2pKey({ privateKey }: PeerIdentity) {
  // The last 32 bytes of the DER are the seed (RFC 8410).
  const seed = privateKey.export({ format: 'der', type: 'pkcs8' }).subarray(-32);
  return await generateKeyPairFromSeed('Ed25519', new Uint8Array(seed));
}

function providerSearch(routing: Routing) {
  return {
    async *findProviders(
      ...[cid, { signal }]: Parameters<NonNullable<Parameters<typeof openBitswap>[0]['search']>['findProviders']>
    ) {
      for await (const event of routing.findProviders(cid, { signal }))
        if (event.type === 'provider' && event.provider.peer !== undefined)
          yield { peer: event.provider.peer, addresses: event.provider.addresses ?? [] };
    },
  };
}

async function describe(
  node: Node,
  dialer: OperatorDialer,
  agentVersion: string,
  peer: string | undefined,
  { signal, isLocal = false }: DescribeOptions,
) {
  if (peer === undefined || peer === node.peerId.toString()) return describeOwnNode(node, { agentVersion });
  const id = parsePeerId(peer);
  const known = () => node.peerStore.get(id).catch(() => undefined);
  let found = await known();
  if (!isLocal && (found === undefined || found.protocols.length === 0)) {
    const whole = parsePeerAddress(`/p2p/${peer}`);
    await dialer.dial(whole, signal).catch((cause: unknown) => {
      signal?.throwIfAborted();
      throw new PeerApiError('PEER_NOT_FOUND', `Peer ${peer} was not found.`, {
        hint: 'Check the peer ID, and that the peer is online.',
        cause,
      });
    });
    found = await known();
  }
  if (found === undefined) throw new PeerApiError('PEER_NOT_FOUND', `Peer ${peer} was not found.`);
  return describeKnownPeer(found);
}

function bitswapStatus(bitswap: Bitswap, node: Node): PeerApi['bitswap'] {
  return {
    async status() {
      const { wantlist, peersWants, ...counters } = bitswap.stats();
      return { ...counters, wantlist: bitswap.wantlist(), peers: node.getPeers().map(String) };
    },
    async wantlist(peer) {
      const isOther = peer !== undefined && peer !== node.peerId.toString();
      return bitswap.wantlist(isOther ? parsePeerId(peer).toString() : undefined);
    },
    async ledger(peer) {
      const id = parsePeerId(peer).toString();
      const { sentBytes, receivedBytes, sentBlocks, receivedBlocks } = bitswap.ledger(id);
      return { peer: id, sentBytes, receivedBytes, exchangedBlocks: sentBlocks + receivedBlocks };
    },
  };
}

/** Schedule of a peer that announces nothing. */
async function openNoProviding(): Promise<Providing> {
  return {
    status: async () => ({ records: 0, waiting: 0, announced: 0, failed: 0 }),
    added: async () => {},
    removed: async () => {},
    close: async () => {},
  };
}
