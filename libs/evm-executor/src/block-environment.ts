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

interface RuledBlock {
  readonly block: BlockEnvironment;
  readonly rules: ForkRules;
}

const known = new WeakMap<ChainSpec, WeakMap<Header, RuledBlock>>();

/** The environment and the rules of a block, as it is or as overrides pretend it to be. */
export function blockEnvironment(spec: ChainSpec, header: Header, overrides?: BlockOverrides): RuledBlock {
  if (overrides !== undefined) return makeEnvironment(spec, header, overrides);
  let ofChain = known.get(spec);
  if (ofChain === undefined) {
    ofChain = new WeakMap();
    known.set(spec, ofChain);
  }
  let made = ofChain.get(header);
  if (made === undefined) {
    made = makeEnvironment(spec, header, {});
    ofChain.set(header, made);
  }
  return made;
}

function makeEnvironment(spec: ChainSpec, header: Header, overrides: BlockOverrides): RuledBlock {
  const number = overrides.number ?? header.number;
  const timestamp = overrides.time ?? header.timestamp;
  const rules = forkRules(spec, { number, timestamp });
  const baseFeePerGas = overrides.baseFeePerGas ?? header.baseFeePerGas ?? (rules.isLondon ? 0n : undefined);
  const blobBaseFee = overrides.blobBaseFee ?? blobBaseFeeAt(header.excessBlobGas ?? 0n, rules);
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

/** The base fee of blobs, in wei per unit of blob gas (EIP-4844); 0 before Cancun. */
export function blobBaseFeeAt(excessBlobGas: bigint, rules: ForkRules): bigint {
  return rules.isCancun ? fakeExponential(1n, excessBlobGas, rules.blobFeeUpdateFraction) : 0n;
}

/** What a unit of execution gas reserves of blob gas (EIP-7918). */
const blobBaseCost = 8_192n;
const gasPerBlob = 131_072n;

/** The excess blob gas of the block that follows (EIP-4844, EIP-7918); `rules` are those of that block. */
export function nextExcessBlobGas(
  parent: Pick<Header, 'excessBlobGas' | 'blobGasUsed' | 'baseFeePerGas'>,
  rules: ForkRules,
): bigint {
  const { excessBlobGas, blobGasUsed = 0n, baseFeePerGas = 0n } = parent;
  if (excessBlobGas === undefined) return 0n;
  const target = rules.blobsTarget * gasPerBlob;
  const sum = excessBlobGas + blobGasUsed;
  if (sum < target) return 0n;
  const price = blobBaseFeeAt(excessBlobGas, rules);
  if (rules.isOsaka && blobBaseCost * baseFeePerGas > gasPerBlob * price)
    return excessBlobGas + (blobGasUsed * (rules.blobsMax - rules.blobsTarget)) / rules.blobsMax;
  return sum - target;
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
