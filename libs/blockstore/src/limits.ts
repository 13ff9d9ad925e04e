const MiB = 1024 * 1024;

export const limits = {
  /** Longest block in bytes: IPFS peers and Kubo refuse longer ones. */
  blockBytesMax: 2 * MiB,
  /** Bytes that a store holds in memory for writes under way; beyond it `putMany` waits. More gains little speed and takes memory. */
  pendingBytesMax: 8 * MiB,
} as const;
