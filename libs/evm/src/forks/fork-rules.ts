import type { ChainSpec, ForkName, Hex } from '@cairn/block-model';

/** Rules of the active fork that calls and blocks depend on. */
export interface ForkRules {
  readonly spec: ChainSpec;
  readonly hardfork: ForkName;
  readonly chainId: bigint;
  readonly isHomestead: boolean;
  /** A call withholds a 64th of its gas from nested calls (EIP-150). */
  readonly isTangerineWhistle: boolean;
  /** Touching an empty account removes it (EIP-161). */
  readonly isSpuriousDragon: boolean;
  /** Receipts hold a status instead of a state root (EIP-658). */
  readonly isByzantium: boolean;
  /** Shifts, EXTCODEHASH, CREATE2. */
  readonly isConstantinople: boolean;
  /** SSTORE has net gas metering: EIP-1283 in Constantinople, not in Petersburg, EIP-2200 from Istanbul. */
  readonly isStorageNetMetered: boolean;
  /** A non-zero byte of calldata costs 16 gas (EIP-2028). */
  readonly isIstanbul: boolean;
  /** The first access to an address or slot is cold (EIP-2929). */
  readonly isBerlin: boolean;
  /** Blocks have a base fee (EIP-1559); refunds are at most a fifth of the gas used (EIP-3529). */
  readonly isLondon: boolean;
  /** Blocks have a random value instead of a difficulty (EIP-4399). */
  readonly isMerged: boolean;
  /** Init code is limited and metered (EIP-3860), and the coinbase is warm (EIP-3651). */
  readonly isShanghai: boolean;
  /** Transactions can carry blobs (EIP-4844). */
  readonly isCancun: boolean;
  /** Calldata has a floor price (EIP-7623), and accounts can delegate (EIP-7702). */
  readonly isPrague: boolean;
  /** The gas limit of a transaction is at most 2^24 (EIP-7825). */
  readonly isOsaka: boolean;
  /** The chain is an OP-stack chain: its blocks carry no blobs, and L1 is the source of its deposits. */
  readonly isOpStack: boolean;
  /** Maximum input lengths of precompiles in bytes, by address; empty on Ethereum. */
  readonly precompileInputMax: ReadonlyMap<number, number>;
  /** Addresses in lower case. */
  readonly precompiles: readonly Hex[];
  /** BLOB_BASE_FEE_UPDATE_FRACTION of EIP-4844: how fast the blob base fee follows demand; 0 before Cancun. */
  readonly blobFeeUpdateFraction: bigint;
  /** Maximum number of blobs in a block; 0 before Cancun. */
  readonly blobsMax: bigint;
  /** Target number of blobs in a block, above which the blob base fee rises; 0 before Cancun. */
  readonly blobsTarget: bigint;
  /** Contract whose logs are deposits (EIP-6110), in lower case. */
  readonly depositContract: string;
}
