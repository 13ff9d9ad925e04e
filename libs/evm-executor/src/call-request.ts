import type { AccessListEntry, Authorization, Hex } from '@cairn/block-model';

/** Message as eth_call accepts it. Amounts are wei; addresses are 20 bytes in lower case. */
export interface CallRequest {
  /** Default: the zero address. */
  readonly from?: Hex;
  /** If absent, `data` is init code and the output is the code that it would deploy. */
  readonly to?: Hex;
  /** Gas limit, lowered to the cap. Default: the cap. */
  readonly gas?: bigint;
  /** Used by simulations and access lists; eth_call ignores it. */
  readonly nonce?: bigint;
  readonly gasPrice?: bigint;
  readonly maxFeePerGas?: bigint;
  readonly maxPriorityFeePerGas?: bigint;
  readonly value?: bigint;
  readonly data?: Hex;
  /** If present, it must be the id of the chain. */
  readonly chainId?: bigint;
  readonly accessList?: readonly AccessListEntry[];
  readonly maxFeePerBlobGas?: bigint;
  readonly blobVersionedHashes?: readonly Hex[];
  readonly authorizationList?: readonly Authorization[];
}

/** Overrides of one account for a call (third parameter of geth's eth_call). */
export interface AccountOverride {
  readonly nonce?: bigint;
  readonly balance?: bigint;
  readonly code?: Hex;
  /** Replaces the whole storage: other slots are empty. Excludes `stateDiff`. */
  readonly state?: ReadonlyMap<Hex, Hex>;
  /** Replaces single slots; others keep their values. Excludes `state`. */
  readonly stateDiff?: ReadonlyMap<Hex, Hex>;
  /** Moves the precompile to another address; this address becomes an ordinary account. */
  readonly movePrecompileToAddress?: Hex;
}

/** Overrides by address. */
export type StateOverrides = ReadonlyMap<Hex, AccountOverride>;

/** Overrides of the block for a call (fourth parameter of geth's eth_call). */
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
  /** Result of BLOCKHASH for the number of the header, used when the overrides describe the block after it. */
  readonly parentHash?: Hex;
}
