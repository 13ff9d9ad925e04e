const MiB = 1024 * 1024;

export const limits = {
  /** Maximum length of a block in bytes. IPFS peers and Kubo refuse longer blocks. */
  blockBytesMax: 2 * MiB,
  /** Bytes of pending writes in memory; beyond it `putMany` waits. A higher limit costs memory and gains little speed. */
  pendingBytesMax: 8 * MiB,
} as const;
