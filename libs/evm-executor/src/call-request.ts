import type { AccessListEntry, Authorization, Hex } from '@cairn/block-model';

/** A message to run, as eth_call takes it. Amounts are wei; addresses are 20 bytes in lower case. */
export interface CallRequest {
  /** The zero address where absent. */
  readonly from?: Hex;
  /** Absent: `data` is init code, and the output is the code that it would deploy. */
  readonly to?: Hex;
  /** Absent, or above the cap: the cap. */
  readonly gas?: bigint;
  /** Looked at where transactions are simulated; calls have no use for it. */
  readonly nonce?: bigint;
  readonly gasPrice?: bigint;
  readonly maxFeePerGas?: bigint;
  readonly maxPriorityFeePerGas?: bigint;
  readonly value?: bigint;
  readonly data?: Hex;
  /** Must be the chain's own where present. */
  readonly chainId?: bigint;
  readonly accessList?: readonly AccessListEntry[];
  readonly maxFeePerBlobGas?: bigint;
  readonly blobVersionedHashes?: readonly Hex[];
  readonly authorizationList?: readonly Authorization[];
}

/** What a call pretends about one account (the third parameter of geth's eth_call). */
export interface AccountOverride {
  readonly nonce?: bigint;
  readonly balance?: bigint;
  readonly code?: Hex;
  /** The whole storage: slots that are not named are empty. Excludes `stateDiff`. */
  readonly state?: ReadonlyMap<Hex, Hex>;
  /** Single slots; the others keep their values. Excludes `state`. */
  readonly stateDiff?: ReadonlyMap<Hex, Hex>;
  /** Makes a precompile answer at another address; this one becomes an ordinary account. */
  readonly movePrecompileToAddress?: Hex;
}

/** Overrides by address. */
export type StateOverrides = ReadonlyMap<Hex, AccountOverride>;

/** What a call pretends about its block (the fourth parameter of geth's eth_call). */
export interface BlockOverrides {
  readonly number?: bigint;
  readonly difficulty?: bigint;
  /** Seconds since 1970. */
  readonly time?: bigint;
  readonly gasLimit?: bigint;
  readonly feeRecipient?: Hex;
  readonly prevRandao?: Hex;
  readonly baseFeePerGas?: bigint;
  readonly blobBaseFee?: bigint;
  /** Hash that BLOCKHASH reads for the header itself, where the overrides describe the block after it. */
  readonly parentHash?: Hex;
}
