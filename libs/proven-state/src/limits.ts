/** Limits of one run over proven state. */
export const provenStateLimits = {
  /** Rounds of a run. A run that follows a linked list in storage needs one round for each element. */
  roundsMax: 256,
  /** Accounts and slots that one run may fetch. */
  readsMax: 20_000,
  /** Slots in one eth_getProof. geth accepts 1,024. */
  slotsPerProofMax: 256,
  /** Accounts of one run that are requested at the same time. A call can name thousands for little gas. */
  concurrentMax: 256,
  /** Functions for which reads are learned, by contract and by code. */
  learnedMax: 10_000,
  /** Reads that are learned for one function of a contract. */
  learnedReadsMax: 256,
} as const;
