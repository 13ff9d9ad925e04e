/** Injection token of the `PeerApi`; `undefined` without `IPFS_PEER_URL`. */
export const PEER_API = Symbol('PEER_API');
