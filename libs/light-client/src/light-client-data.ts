/** Header of a beacon block (consensus-specs, phase0). Roots are 32 bytes. */
export interface BeaconHeader {
  readonly slot: number;
  readonly proposerIndex: bigint;
  readonly parentRoot: Uint8Array;
  readonly stateRoot: Uint8Array;
  readonly bodyRoot: Uint8Array;
}

/** Header of an execution payload (consensus-specs, capella and deneb). */
export interface ExecutionHeader {
  readonly parentHash: Uint8Array;
  /** 20 bytes. */
  readonly feeRecipient: Uint8Array;
  readonly stateRoot: Uint8Array;
  readonly receiptsRoot: Uint8Array;
  /** 256 bytes. */
  readonly logsBloom: Uint8Array;
  readonly prevRandao: Uint8Array;
  readonly blockNumber: bigint;
  readonly gasLimit: bigint;
  readonly gasUsed: bigint;
  /** Seconds since 1970. */
  readonly timestamp: bigint;
  /** At most 32 bytes. */
  readonly extraData: Uint8Array;
  readonly baseFeePerGas: bigint;
  readonly blockHash: Uint8Array;
  readonly transactionsRoot: Uint8Array;
  readonly withdrawalsRoot: Uint8Array;
  /** From Deneb on. */
  readonly blobGasUsed: bigint | undefined;
  readonly excessBlobGas: bigint | undefined;
}

/** Beacon header with its proven execution header. */
export interface LightClientHeader {
  readonly beacon: BeaconHeader;
  readonly execution: ExecutionHeader;
  readonly executionBranch: readonly Uint8Array[];
}

export interface SyncCommittee {
  /** 48 bytes each. */
  readonly pubkeys: readonly Uint8Array[];
  readonly aggregatePubkey: Uint8Array;
}

export interface SyncAggregate {
  /** One bit for each member, least significant bit first. */
  readonly bits: Uint8Array;
  /** 96 bytes. */
  readonly signature: Uint8Array;
}

/** Start of a light client: a trusted header and the committee in its state. */
export interface LightClientBootstrap {
  readonly header: LightClientHeader;
  readonly currentSyncCommittee: SyncCommittee;
  readonly currentSyncCommitteeBranch: readonly Uint8Array[];
}

/** Update of a light client. Finality and optimistic updates lack the later fields. */
export interface LightClientUpdate {
  readonly attestedHeader: LightClientHeader;
  readonly syncAggregate: SyncAggregate;
  readonly signatureSlot: number;
  readonly finalizedHeader?: LightClientHeader | undefined;
  readonly finalityBranch?: readonly Uint8Array[] | undefined;
  readonly nextSyncCommittee?: SyncCommittee | undefined;
  readonly nextSyncCommitteeBranch?: readonly Uint8Array[] | undefined;
}

/** Verified state of a light client. */
export interface LightClientState {
  readonly finalizedHeader: LightClientHeader;
  readonly optimisticHeader: LightClientHeader;
  readonly currentSyncCommittee: SyncCommittee;
  readonly nextSyncCommittee: SyncCommittee | undefined;
  /** Maximum numbers of participants in the previous and the current period. They give the safety threshold. */
  readonly previousMaxParticipants: number;
  readonly currentMaxParticipants: number;
}
