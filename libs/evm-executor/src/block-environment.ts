import type { ChainSpec, Header, Hex } from '@cairn/block-model';
import type { BlockOverrides } from './call-request.ts';
import { type ForkRules, forkRules } from './fork-rules.ts';

/** What code can see of its block. */
export interface BlockEnvironment {
  readonly number: bigint;
  /** Seconds since 1970. */
  readonly timestamp: bigint;
  readonly gasLimit: bigint;
  readonly coinbase: Hex;
  readonly difficulty: bigint;
  /** 32 bytes (EIP-4399). */
  readonly prevRandao: Hex;
  /** Wei; absent before London. */
  readonly baseFeePerGas?: bigint;
  /** Wei; absent before Cancun. */
  readonly blobBaseFee?: bigint;
}

/** The environment and the rules of a block, as it is or as overrides pretend it to be. */
export function blockEnvironment(
  spec: ChainSpec,
  header: Header,
  overrides: BlockOverrides = {},
): { readonly block: BlockEnvironment; readonly rules: ForkRules } {
  const number = overrides.number ?? header.number;
  const timestamp = overrides.time ?? header.timestamp;
  const rules = forkRules(spec, { number, timestamp });
  const baseFeePerGas = overrides.baseFeePerGas ?? header.baseFeePerGas ?? (rules.isLondon ? 0n : undefined);
  const blobBaseFee = overrides.blobBaseFee ?? blobBaseFeeOf(header, rules);
  const block: BlockEnvironment = {
    number,
    timestamp,
    gasLimit: overrides.gasLimit ?? header.gasLimit,
    coinbase: overrides.feeRecipient ?? header.miner,
    difficulty: overrides.difficulty ?? header.difficulty,
    prevRandao: overrides.prevRandao ?? header.mixHash,
    ...(rules.isLondon && baseFeePerGas !== undefined && { baseFeePerGas }),
    ...(rules.isCancun && { blobBaseFee }),
  };
  return { block, rules };
}

function blobBaseFeeOf(header: Header, rules: ForkRules): bigint {
  return rules.isCancun ? fakeExponential(1n, header.excessBlobGas ?? 0n, rules.blobFeeUpdateFraction) : 0n;
}

/** `factor * e ** (numerator / denominator)` by Taylor expansion, in integers as EIP-4844 has it. */
export function fakeExponential(factor: bigint, numerator: bigint, denominator: bigint): bigint {
  let output = 0n;
  let term = factor * denominator;
  for (let i = 1n; term > 0n; i += 1n) {
    output += term;
    term = (term * numerator) / (denominator * i);
  }
  return output / denominator;
}
