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
