/** Token of the running peer: node, bitswap and the port over them. */
export const IPFS_PEER = Symbol('IPFS_PEER');
/** Token of the serving policy. */
export const SERVING = Symbol('SERVING');
/** Token of the identity of the node. */
export const PEER_IDENTITY = Symbol('PEER_IDENTITY');
