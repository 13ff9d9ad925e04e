const MiB = 1024 * 1024;

export const limits = {
  /** Longest block in bytes. IPFS peers and Kubo refuse longer ones. */
  blockBytesMax: 2 * MiB,
  /** Bytes of pending writes in memory; beyond it `putMany` waits. A higher limit costs memory and gains little speed. */
  pendingBytesMax: 8 * MiB,
} as const;
