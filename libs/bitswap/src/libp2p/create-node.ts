import './promise-with-resolvers.ts';
import type { ConnectionGater, Libp2p, PrivateKey } from '@libp2p/interface';
import { coalescingMuxer } from './coalesce-window-updates.ts';
import { corkTransport } from './cork-writes.ts';
import { directNoise } from './direct-noise.ts';
import { mergeProtocolsOnce } from './merge-protocols-once.ts';
import { directMuxer } from './negotiate-directly.ts';
import { silentLogger } from './silent-logger.ts';

/**
 * Options of yamux. The window of a stream stays below the buffer of a paused stream, so that back-pressure does not end
 * the stream.
 */
export const muxerOptions = { streamOptions: { maxStreamWindowSize: 2 * 1024 * 1024 } } as const;

export interface NodeOptions {
  /** Identity of the node. Default: a new key. */
  readonly privateKey?: PrivateKey;
  /** Multiaddresses to listen on. Default: none. */
  readonly listen?: readonly string[];
  /** Refuses addresses and connections. Default: js-libp2p's rules. */
  readonly connectionGater?: ConnectionGater;
  readonly connectionsMax?: number;
}

/** Starts a js-libp2p node with TCP, noise, yamux and identify. */
export async function createNode(options: NodeOptions = {}): Promise<Libp2p> {
  // Loaded after the shim: these modules use it while they load.
  const { createLibp2p } = await import('libp2p');
  const { tcp } = await import('@libp2p/tcp');
  const { noise } = await import('@libp2p/noise');
  const { yamux } = await import('@libp2p/yamux');
  const { identify } = await import('@libp2p/identify');
  const { privateKey, connectionGater, listen = [], connectionsMax = 300 } = options;
  const node = await createLibp2p({
    ...(privateKey !== undefined && { privateKey }),
    ...(connectionGater !== undefined && { connectionGater }),
    logger: silentLogger,
    addresses: { listen: [...listen] },
    connectionManager: { maxConnections: connectionsMax },
    transports: [corkTransport(tcp())],
    connectionEncrypters: [directNoise(noise())],
    streamMuxers: [directMuxer(coalescingMuxer(yamux(muxerOptions)))],
    services: { identify: identify() },
  });
  mergeProtocolsOnce(node.peerStore);
  return node;
}
