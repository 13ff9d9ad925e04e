export const limits = {
  /** Named databases in one environment, its own included: LMDB sizes its tables by it. */
  databasesMax: 24,
  /** Read transactions at once, over all processes; 64 bytes each in the lock file. An iterator left open holds one. */
  readersMax: 1024,
  /** Longest key in bytes: two keys and their nodes must fit a page of 4,096 bytes. */
  keyBytesMax: 1978,
} as const;
