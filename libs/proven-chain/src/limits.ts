/** Limits of reads over proven blocks. */
export const provenChainLimits = {
  /** Ancestors up to this depth are proven by parent links in one round of headers. */
  linkedMax: 256n,
  /** Blocks that one proof of the history contract reaches (EIP-2935, HISTORY_SERVE_WINDOW). */
  historyWindow: 8191n,
  /** Proofs of the history contract for one ancestor. Each needs the state of an older block. */
  historyHopsMax: 8,
  /** Ancestors up to this depth are proven by parent links when the history contract cannot prove them. */
  farLinkedMax: 20_000n,
  /** Attempts to link a range while reorgs change the chain. */
  linkAttemptsMax: 8,
  /** Far ancestors in memory. */
  farMax: 10_000,
  /** Headers requested in one round. Each occupies the event loop for about 0.3 ms. */
  headersPerRound: 500,
  /** Headers of one log query. */
  rangeMax: 100_000n,
  /** Logs of one query. */
  logsMax: 10_000,
  /** Blocks and lists of receipts that one run holds. Full ones take about a megabyte each. */
  bodiesMax: 256,
  /** Reads that one round fetches. */
  readsMax: 2048,
  /** Rounds of one run. */
  roundsMax: 256,
  /** Verified ancestors in memory, 100 bytes each. */
  indexMax: 200_000,
  /** Text length of decoded headers in memory, about 2,000 headers. */
  headersMemoryMax: 4 * 1024 * 1024,
  /** Memory of a source of executions, in each thread. A pool on two cores has five threads with sources. */
  sourceMemoryMax: 32 * 1024 * 1024,
  /** Text length of decoded blocks and receipts in memory, roughly their bytes. */
  memoryMax: 64 * 1024 * 1024,
} as const;
