import './promise-with-resolvers.ts';

export { createNode, muxerOptions, type NodeOptions } from './create-node.ts';
export { bitswapProtocol, createLibp2pTransport } from './libp2p-transport.ts';
