const mib = 1024 * 1024;

/** Limits of data from untrusted sources. */
export const verifyLimits = {
  /** Length of an encoded witness. Beyond it, nothing is decoded. */
  witnessBytesMax: 32 * mib,
  /** Headers of the witness of a call: the block and the 256 ancestors that BLOCKHASH reaches. */
  callHeadersMax: 257,
  /** Headers of the witness of a log query. */
  logHeadersMax: 10_001,
  /** Trie nodes of a witness. A call of 30 million gas reads at most 14,000 slots. */
  nodesMax: 262_144,
  /** Length of a node. The leaves of long transactions and receipts are longer; they are part of witnesses only. */
  nodeBytesMax: 65_536,
  codesMax: 16_384,
  /** Logs of one query. */
  logsMax: 10_000,
  /** Gas limit of a call, in gas limits of its block. */
  gasCapMultiplier: 10,
  /** Execution of one call. */
  timeoutMs: 30_000,
} as const;
