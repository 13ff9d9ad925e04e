export const limits = {
  /** Named databases in one environment, including its root database. LMDB sizes its tables by it. */
  databasesMax: 24,
  /** Concurrent read transactions of all processes, at 64 bytes each in the lock file. An open iterator uses one. */
  readersMax: 1024,
  /** Maximum length of a key in bytes. Two keys and their nodes must fit a page of 4,096 bytes. */
  keyBytesMax: 1978,
} as const;
