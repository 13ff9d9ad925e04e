import './promise-with-resolvers.ts';

export { coalescingMuxer } from './coalesce-window-updates.ts';
export { corkTransport } from './cork-writes.ts';
export { createNode, muxerOptions, type NodeOptions } from './create-node.ts';
export { directNoise } from './direct-noise.ts';
export { bitswapProtocol, createLibp2pTransport } from './libp2p-transport.ts';
export { mergeProtocolsOnce } from './merge-protocols-once.ts';
export { directMuxer } from './negotiate-directly.ts';
export { silentLogger } from './silent-logger.ts';
