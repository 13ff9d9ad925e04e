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
  /** Length of one answer over HTTP. Hex doubles the length of a witness. */
  answerBytesMax: 80 * mib,
  /** Values in one answer, so that parsing ends within a second. 32 MiB of receipts have 800,000. */
  answerValuesMax: 1_000_000,
  /** Headers that a provider keeps. */
  headersKeptMax: 2_000,
  /** Ancestors up to this depth are proven by parent links. */
  linkedMax: 256n,
  /** Blocks that one proof of the history contract reaches (EIP-2935, HISTORY_SERVE_WINDOW). */
  historyWindow: 8191n,
  /** Proofs of the history contract for one ancestor. */
  historyHopsMax: 8n,
  /** Blocks of one cairn_getLogs. */
  logBlocksMax: 2_000n,
  /** Blocks of one eth_getLogs through a provider. */
  logRangeMax: 100_000n,
  /** Execution of one call. */
  timeoutMs: 30_000,
} as const;
