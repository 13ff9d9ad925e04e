import type { ChainSpec } from './chain-spec.ts';
import type { Header } from './header.ts';
import { baseFeeRules } from './op-stack/base-fee-rules.ts';

/** Fields of a header that determine the base fee of the next block. OP-stack chains use the optional ones. */
export type BaseFeeHeader = Pick<Header, 'gasUsed' | 'gasLimit' | 'baseFeePerGas'> &
  Partial<Pick<Header, 'timestamp' | 'extraData' | 'blobGasUsed'>>;

/**
 * Returns the base fee of the next block in wei per gas; `undefined` when the given block has no base fee.
 * @param spec rules of the chain; default: those of Ethereum (EIP-1559)
 */
export function nextBaseFee(parent: BaseFeeHeader, spec?: ChainSpec): bigint | undefined {
  const { gasLimit, baseFeePerGas } = parent;
  if (baseFeePerGas === undefined) return undefined;
  const { elasticity, denominator, minimum, gasMetered } = baseFeeRules(spec, parent);
  const target = gasLimit / elasticity;
  const next = baseFeeAfter(baseFeePerGas, gasMetered, target, denominator);
  if (next < minimum) return minimum;
  return next;
}

function baseFeeAfter(baseFee: bigint, gas: bigint, target: bigint, denominator: bigint): bigint {
  if (gas === target) return baseFee;
  if (gas > target) {
    const rise = (baseFee * (gas - target)) / target / denominator;
    return baseFee + (rise > 0n ? rise : 1n);
  }
  return baseFee - (baseFee * (target - gas)) / target / denominator;
}

/** Gas of one blob (EIP-4844). */
const gasPerBlob = 131_072n;
/** Execution gas per blob that sets the minimum price of blobs (BLOB_BASE_COST, EIP-7918). */
const blobBaseCost = 8_192n;

/** Blob counts of a fork, and whether it has the minimum price of EIP-7918. */
export interface BlobRules {
  readonly blobsTarget: bigint;
  readonly blobsMax: bigint;
  readonly blobFeeUpdateFraction: bigint;
  readonly isOsaka: boolean;
  /** OP-stack chains have no excess blob gas: `blobGasUsed` of their headers is the data footprint of the transactions. */
  readonly isOpStack?: boolean;
}

/** Returns the excess blob gas of the block after `parent`; `rules` are those of the new block (EIP-4844, EIP-7918). */
export function nextExcessBlobGas(
  {
    excessBlobGas = 0n,
    blobGasUsed = 0n,
    baseFeePerGas = 0n,
  }: Pick<Header, 'excessBlobGas' | 'blobGasUsed' | 'baseFeePerGas'>,
  { blobsTarget, blobsMax, blobFeeUpdateFraction, isOsaka, isOpStack = false }: BlobRules,
): bigint {
  if (isOpStack) return 0n;
  const target = blobsTarget * gasPerBlob;
  const sum = excessBlobGas + blobGasUsed;
  if (sum < target) return 0n;
  if (isOsaka && blobBaseCost * baseFeePerGas > gasPerBlob * blobBaseFee(excessBlobGas, blobFeeUpdateFraction))
    return excessBlobGas + (blobGasUsed * (blobsMax - blobsTarget)) / blobsMax;
  return sum - target;
}

/** Returns wei per blob gas: `e ** (excess / fraction)` by an integer Taylor expansion (EIP-4844). */
function blobBaseFee(excess: bigint, fraction: bigint): bigint {
  let output = 0n;
  let term = fraction;
  for (let i = 1n; term > 0n; i += 1n) {
    output += term;
    term = (term * excess) / (fraction * i);
  }
  return output / fraction;
}
