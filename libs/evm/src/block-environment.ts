import type { Hex } from '@cairn/block-model';

/** Fields of a block that code can read. */
export interface BlockEnvironment {
  readonly number: bigint;
  /** Seconds since 1970. */
  readonly timestamp: bigint;
  readonly gasLimit: bigint;
  readonly coinbase: Hex;
  readonly difficulty: bigint;
  /** 32 bytes (EIP-4399). */
  readonly prevRandao: Hex;
  /** Wei; absent if the header has none. Overrides can set it on forks that ignore it. */
  readonly baseFeePerGas?: bigint;
  /** Wei; absent before Cancun. */
  readonly blobBaseFee?: bigint;
}
