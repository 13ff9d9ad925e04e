/** Token of the running peer: node, bitswap and the port over them. */
export const IPFS_PEER = Symbol('IPFS_PEER');
