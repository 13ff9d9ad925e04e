export { describePeerApi, type PeerApiFixture } from './describe-peer-api.ts';
export { createMemoryPeerApi, type MemoryPeerApi } from './memory-peer-api.ts';
