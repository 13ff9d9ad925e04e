import {
  coalescingMuxer,
  corkTransport,
  directMuxer,
  directNoise,
  mergeProtocolsOnce,
  muxerOptions,
  silentLogger,
} from '@cairn/bitswap/libp2p';
import type { Libp2p, PrivateKey, ServiceMap } from '@libp2p/interface';
import type { KadDHT, Selectors, Validators } from '@libp2p/kad-dht';
import type { Ping } from '@libp2p/ping';
import type { Datastore } from 'interface-datastore';
import type { AddressRules } from '../addresses/address-rules.ts';
import { createNameResolver } from '../addresses/resolve-names.ts';
import type { BandwidthMeter } from '../bandwidth/bandwidth-meter.ts';
import { peerLimits as limits } from '../limits.ts';
import { boundHandshakes, PendingHosts } from './bound-handshakes.ts';
import { boundRequests, withHandlers } from './bound-requests.ts';
import { boundWebSockets } from './bound-web-sockets.ts';
import { createPeerDatastore } from './create-peer-datastore.ts';

export type RoutingMode = 'auto' | 'dhtclient' | 'dhtserver' | 'none';

/** Types of DHT records, by the first part of their keys, such as `ipns`. */
export interface RecordTypes {
  readonly validators?: Validators;
  readonly selectors?: Selectors;
}

export interface NodeOptions {
  readonly privateKey: PrivateKey;
  readonly listen: readonly string[];
  /** Addresses that are announced instead of the listened ones. */
  readonly announce?: readonly string[];
  readonly routing: RoutingMode;
  readonly records?: RecordTypes;
  readonly rules: AddressRules;
  readonly bandwidth: BandwidthMeter;
  readonly allowsPrivate: boolean;
  /** The 32 bytes of the key of a private network. */
  readonly swarmKey?: Uint8Array | undefined;
  readonly connectionsMax?: number;
  readonly datastore?: Datastore;
  readonly agentVersion: string;
}

/** Services of the node. `lan` is the DHT of private networks, which only nodes that dial private addresses join. */
export interface NodeServices extends ServiceMap {
  readonly ping: Ping;
  readonly wan?: KadDHT;
  readonly lan?: KadDHT;
}

export type Node = Libp2p<NodeServices>;

/** Starts a js-libp2p node: TCP, WebSocket, noise, yamux, identify, ping, and the DHTs of the mode. */
export async function createNode(options: NodeOptions): Promise<Node> {
  // Loaded after the shim in @cairn/bitswap/libp2p: these modules use it while they load.
  const { createLibp2p, dnsaddrResolver } = await import('libp2p');
  const { tcp } = await import('@libp2p/tcp');
  const { webSockets } = await import('@libp2p/websockets');
  const { noise } = await import('@libp2p/noise');
  const { yamux } = await import('@libp2p/yamux');
  const { identify, identifyPush } = await import('@libp2p/identify');
  const { ping } = await import('@libp2p/ping');
  const { privateNetwork } = await import('./private-network.ts');
  const dhts = await dhtServices(options);
  const { privateKey, listen, announce = [], rules, swarmKey, agentVersion } = options;
  const { connectionsMax = limits.connectionsMax } = options;
  const hosts = new PendingHosts();
  const node = await createLibp2p({
    privateKey,
    logger: silentLogger,
    nodeInfo: { userAgent: agentVersion, name: 'cairn' },
    addresses: { listen: [...listen], announce: [...announce] },
    datastore: options.datastore ?? createPeerDatastore(),
    connectionGater: rules.gater(),
    metrics: () => options.bandwidth.metrics(),
    connectionManager: {
      maxConnections: connectionsMax,
      maxIncomingPendingConnections: limits.pendingInboundMax,
      inboundConnectionThreshold: limits.inboundPerSecondMax,
      maxParallelDials: limits.dialsMax,
      maxDialQueueLength: limits.dialQueueMax,
      maxPeerAddrsToDial: limits.dialAddressesMax,
      dialTimeout: limits.dialMs,
      addressDialTimeout: limits.addressDialMs,
      resolvers: { dnsaddr: dnsaddrResolver, dns: createNameResolver() },
    },
    // Measures the latency of each connection and ends dead ones.
    connectionMonitor: { pingInterval: limits.latencyMs },
    transports: [
      boundHandshakes(corkTransport(tcp()), hosts),
      boundHandshakes(boundWebSockets(webSockets(), hosts, { ...limits, connectionsMax }), hosts),
    ],
    connectionEncrypters: [directNoise(noise())],
    streamMuxers: [directMuxer(coalescingMuxer(yamux({ ...muxerOptions, maxEarlyStreams: limits.earlyStreamsMax })))],
    ...(swarmKey !== undefined && { connectionProtector: privateNetwork(swarmKey) }),
    services: {
      identify: identify({ maxInboundStreams: limits.identifyStreamsMax }),
      identifyPush: identifyPush({ maxInboundStreams: limits.identifyStreamsMax }),
      ping: ping({ maxInboundStreams: limits.pingStreamsMax, timeout: limits.pingMs }),
      ...dhts,
    },
  });
  mergeProtocolsOnce(node.peerStore);
  return node as unknown as Node;
}

async function dhtServices({ routing, records = {}, allowsPrivate }: NodeOptions) {
  if (routing === 'none') return {};
  const { kadDHT, removePrivateAddressesMapper, removePublicAddressesMapper } = await import('@libp2p/kad-dht');
  const { validators = {}, selectors = {} } = records;
  const common = {
    validators,
    selectors,
    maxInboundStreams: limits.dhtStreamsMax,
    // A search on a node without peers ends immediately.
    allowQueryWithZeroPeers: true,
  };
  const wan = kadDHT({
    ...common,
    protocol: '/ipfs/kad/1.0.0',
    peerInfoMapper: removePrivateAddressesMapper,
    logPrefix: 'libp2p:dht-wan',
    metricsPrefix: 'libp2p_dht_wan',
    // Undefined: a server while a public address is confirmed.
    ...(routing !== 'auto' && { clientMode: routing === 'dhtclient' }),
  });
  const bounds = boundRequests();
  if (!allowsPrivate) return { wan: withHandlers(wan, bounds) };
  const lan = kadDHT({
    ...common,
    protocol: '/ipfs/lan/kad/1.0.0',
    peerInfoMapper: removePublicAddressesMapper,
    logPrefix: 'libp2p:dht-lan',
    datastorePrefix: '/dht/lan',
    metricsPrefix: 'libp2p_dht_lan',
    clientMode: routing === 'dhtclient',
  });
  return { wan: withHandlers(wan, bounds), lan: withHandlers(lan, bounds) };
}
