export type { FilterStore } from './addresses/address-filters.ts';
export { addressProblem } from './addresses/parse-address.ts';
export { peerLimits } from './limits.ts';
export type { Node, RecordTypes, RoutingMode } from './node/create-node.ts';
export { createPeerDatastore } from './node/create-peer-datastore.ts';
export { readSwarmKey } from './node/swarm-key.ts';
export { type IpfsPeer, openPeer, type PeerOptions, type Providing } from './open-peer.ts';
export type { AnnounceNow } from './routing/routing.ts';
