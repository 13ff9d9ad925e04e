import type { Header } from './header.ts';

/** The base fee may change by an eighth from block to block, and blocks may be twice as full as they aim to be (EIP-1559). */
const changeDenominator = 8n;
const elasticity = 2n;

/** Wei per gas in the block after one; `undefined` when that one has no base fee itself. */
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
/** Gas that a blob costs in execution, at which its price has a floor (EIP-7918). */
const blobBaseCost = 8_192n;

/** Blob counts of a fork, and whether it has the floor of EIP-7918. */
export interface BlobRules {
  readonly target: bigint;
  readonly max: bigint;
  readonly feeUpdateFraction: bigint;
  readonly hasFloor: boolean;
}

/** Excess blob gas of the block after `parent`; `rules` are those of that block (EIP-4844, EIP-7918). */
export function nextExcessBlobGas(
  {
    excessBlobGas = 0n,
    blobGasUsed = 0n,
    baseFeePerGas = 0n,
  }: Pick<Header, 'excessBlobGas' | 'blobGasUsed' | 'baseFeePerGas'>,
  { target, max, feeUpdateFraction, hasFloor }: BlobRules,
): bigint {
  const sum = excessBlobGas + blobGasUsed;
  if (sum < target * gasPerBlob) return 0n;
  if (hasFloor && blobBaseCost * baseFeePerGas > gasPerBlob * blobBaseFee(excessBlobGas, feeUpdateFraction))
    return excessBlobGas + (blobGasUsed * (max - target)) / max;
  return sum - target * gasPerBlob;
}

/** Wei per blob gas: `e ** (excess / fraction)` by Taylor expansion in integers (EIP-4844). */
function blobBaseFee(excess: bigint, fraction: bigint): bigint {
  let output = 0n;
  let term = fraction;
  for (let i = 1n; term > 0n; i += 1n) {
    output += term;
    term = (term * excess) / (fraction * i);
  }
  return output / fraction;
}
