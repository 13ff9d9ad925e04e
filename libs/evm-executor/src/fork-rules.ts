import type { ChainSpec, Hex } from '@cairn/block-model';
import { type ChainPlace, commonFromChainSpec, hardforkAt, isPostMerge } from '@cairn/block-model/ethereumjs';
import { type Common, Hardfork } from '@ethereumjs/common';

export type { ChainPlace };

/** Rules of the active fork, as far as calls depend on them. */
export interface ForkRules {
  readonly hardfork: string;
  readonly chainId: bigint;
  /** The fork in the form of the `@ethereumjs` packages. The object is shared: do not set another fork on it. */
  readonly common: Common;
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
  /** Init code is limited and metered (EIP-3860), and the coinbase is warm (EIP-3651). */
  readonly isShanghai: boolean;
  /** Transactions can carry blobs (EIP-4844). */
  readonly isCancun: boolean;
  /** Calldata has a floor price (EIP-7623), and accounts can delegate (EIP-7702). */
  readonly isPrague: boolean;
  /** The gas limit of a transaction is at most 2^24 (EIP-7825). */
  readonly isOsaka: boolean;
  /** Addresses in lower case. */
  readonly precompiles: readonly Hex[];
  /** BLOB_BASE_FEE_UPDATE_FRACTION of EIP-4844: how fast the blob base fee follows demand; 0 before Cancun. */
  readonly blobFeeUpdateFraction: bigint;
  /** Maximum number of blobs in a block; 0 before Cancun. */
  readonly blobsMax: bigint;
  /** Target number of blobs in a block, above which the blob base fee rises; 0 before Cancun. */
  readonly blobsTarget: bigint;
}

interface ChainForks {
  readonly common: Common;
  readonly rules: Map<string, ForkRules>;
}

const chains = new WeakMap<ChainSpec, ChainForks>();

function chainForks(spec: ChainSpec): ChainForks {
  let forks = chains.get(spec);
  if (forks === undefined) {
    forks = { common: commonFromChainSpec(spec), rules: new Map() };
    chains.set(spec, forks);
  }
  return forks;
}

/** Reports whether blocks at this place of the chain are proof-of-stake blocks. */
export function isMergedAt(spec: ChainSpec, place: ChainPlace): boolean {
  return isPostMerge(chainForks(spec).common, place);
}

/** Returns the rules at a place of a chain. They are cached per `spec` object and fork. */
export function forkRules(spec: ChainSpec, place: ChainPlace): ForkRules {
  const forks = chainForks(spec);
  const hardfork = hardforkAt(forks.common, place);
  let rules = forks.rules.get(hardfork);
  if (rules === undefined) {
    rules = makeRules(spec, hardfork);
    forks.rules.set(hardfork, rules);
  }
  return rules;
}

function makeRules(spec: ChainSpec, hardfork: string): ForkRules {
  const common = commonFromChainSpec(spec);
  common.setHardfork(hardfork);
  const isCancun = common.gteHardfork(Hardfork.Cancun);
  return {
    hardfork,
    chainId: common.chainId(),
    common,
    isHomestead: common.gteHardfork(Hardfork.Homestead),
    isTangerineWhistle: common.gteHardfork(Hardfork.TangerineWhistle),
    isSpuriousDragon: common.gteHardfork(Hardfork.SpuriousDragon),
    isByzantium: common.gteHardfork(Hardfork.Byzantium),
    isConstantinople: common.gteHardfork(Hardfork.Constantinople),
    isStorageNetMetered:
      common.gteHardfork(Hardfork.Istanbul) ||
      (common.gteHardfork(Hardfork.Constantinople) && !common.gteHardfork(Hardfork.Petersburg)),
    isIstanbul: common.gteHardfork(Hardfork.Istanbul),
    isBerlin: common.gteHardfork(Hardfork.Berlin),
    isLondon: common.gteHardfork(Hardfork.London),
    isShanghai: common.gteHardfork(Hardfork.Shanghai),
    isCancun,
    isPrague: common.gteHardfork(Hardfork.Prague),
    isOsaka: common.gteHardfork(Hardfork.Osaka),
    precompiles: activePrecompiles(common),
    blobFeeUpdateFraction: isCancun ? blobFeeUpdateFraction(common) : 0n,
    blobsMax: isCancun ? blobCount(common, 'max') : 0n,
    blobsTarget: isCancun ? blobCount(common, 'target') : 0n,
  };
}

/** Address ranges of precompiles and the condition that activates them; the first four exist since Frontier. */
const precompilesSince: readonly (readonly [from: number, to: number, (common: Common) => boolean])[] = [
  [0x01, 0x04, () => true],
  [0x05, 0x08, (common) => common.gteHardfork(Hardfork.Byzantium)],
  [0x09, 0x09, (common) => common.gteHardfork(Hardfork.Istanbul)],
  [0x0a, 0x0a, (common) => common.isActivatedEIP(4844)],
  [0x0b, 0x11, (common) => common.isActivatedEIP(2537)],
  [0x100, 0x100, (common) => common.isActivatedEIP(7951)],
];

function activePrecompiles(common: Common): Hex[] {
  return precompilesSince.flatMap(([from, to, isActive]) =>
    isActive(common)
      ? Array.from({ length: to - from + 1 }, (_, index): Hex => `0x${(from + index).toString(16).padStart(40, '0')}`)
      : [],
  );
}

// EIP-4844 and EIP-7691. Common has the fractions of schedules that name their own (EIP-7840) and of blob-only forks.
const cancunFraction = 3_338_477n;
const pragueFraction = 5_007_716n;

function blobFeeUpdateFraction(common: Common): bigint {
  try {
    return common.param('blobGasPriceUpdateFraction');
  } catch {
    return common.gteHardfork(Hardfork.Prague) ? pragueFraction : cancunFraction;
  }
}

// EIP-4844 and EIP-7691. Common has the counts of schedules that name their own.
function blobCount(common: Common, name: 'max' | 'target'): bigint {
  try {
    return common.param(name);
  } catch {
    const [cancun, prague] = name === 'max' ? [6n, 9n] : [3n, 6n];
    return common.gteHardfork(Hardfork.Prague) ? prague : cancun;
  }
}
