import type { Header } from './header.ts';

/** The base fee changes by at most one eighth per block. The gas limit is twice the gas target (EIP-1559). */
const changeDenominator = 8n;
const elasticity = 2n;

/** Returns the base fee of the next block in wei per gas; `undefined` when the given block has no base fee. */
export function nextBaseFee({
  gasUsed,
  gasLimit,
  baseFeePerGas,
}: Pick<Header, 'gasUsed' | 'gasLimit' | 'baseFeePerGas'>): bigint | undefined {
  if (baseFeePerGas === undefined) return undefined;
  const target = gasLimit / elasticity;
  if (gasUsed === target) return baseFeePerGas;
  if (gasUsed > target) {
    const rise = (baseFeePerGas * (gasUsed - target)) / target / changeDenominator;
    return baseFeePerGas + (rise > 0n ? rise : 1n);
  }
  return baseFeePerGas - (baseFeePerGas * (target - gasUsed)) / target / changeDenominator;
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
}

/** Returns the excess blob gas of the block after `parent`; `rules` are those of the new block (EIP-4844, EIP-7918). */
export function nextExcessBlobGas(
  {
    excessBlobGas = 0n,
    blobGasUsed = 0n,
    baseFeePerGas = 0n,
  }: Pick<Header, 'excessBlobGas' | 'blobGasUsed' | 'baseFeePerGas'>,
  { blobsTarget, blobsMax, blobFeeUpdateFraction, isOsaka }: BlobRules,
): bigint {
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
