import type { ChainSpec, Header } from '@cairn/block-model';
import { type BlockEnvironment, type ForkRules, forkRules } from '@cairn/evm';
import type { BlockOverrides } from './call-request.ts';

export type { BlockEnvironment };

interface RuledBlock {
  readonly block: BlockEnvironment;
  readonly rules: ForkRules;
}

const known = new WeakMap<ChainSpec, WeakMap<Header, RuledBlock>>();

/**
 * Returns the environment and the rules of a block, with overrides applied.
 * @param isMergedByDifficulty decide by the overridden difficulty whether the block is after the merge, not by the difficulty of
 *   the header or an overridden random value. Default false
 */
export function blockEnvironment(
  spec: ChainSpec,
  header: Header,
  overrides?: BlockOverrides,
  isMergedByDifficulty = false,
): RuledBlock {
  if (overrides !== undefined) {
    const { number = header.number, time: timestamp = header.timestamp, difficulty, prevRandao } = overrides;
    const isMerged = isMergedByDifficulty
      ? (difficulty ?? header.difficulty) === 0n
      : header.difficulty === 0n || prevRandao !== undefined;
    return makeEnvironment(spec, header, overrides, forkRules(spec, { number, timestamp, isMerged }));
  }
  let ofChain = known.get(spec);
  if (ofChain === undefined) {
    ofChain = new WeakMap();
    known.set(spec, ofChain);
  }
  let made = ofChain.get(header);
  if (made === undefined) {
    made = makeEnvironment(spec, header, {}, forkRules(spec, header));
    ofChain.set(header, made);
  }
  return made;
}

function makeEnvironment(spec: ChainSpec, header: Header, overrides: BlockOverrides, rules: ForkRules): RuledBlock {
  const number = overrides.number ?? header.number;
  const timestamp = overrides.time ?? header.timestamp;
  const baseFeePerGas = overrides.baseFeePerGas ?? header.baseFeePerGas;
  const block: BlockEnvironment = {
    number,
    timestamp,
    gasLimit: overrides.gasLimit ?? header.gasLimit,
    coinbase: overrides.feeRecipient ?? header.miner,
    difficulty: overrides.difficulty ?? header.difficulty,
    prevRandao: overrides.prevRandao ?? header.mixHash,
    ...(baseFeePerGas !== undefined && { baseFeePerGas }),
    ...(rules.isCancun && { blobBaseFee: overrides.blobBaseFee ?? ownBlobBaseFee(spec, header, rules) }),
  };
  return { block, rules };
}

/** Blob base fee of the header by its own fork, or by the overridden fork if its own has no blobs. */
function ownBlobBaseFee(spec: ChainSpec, header: Header, rules: ForkRules): bigint {
  const own = forkRules(spec, header);
  return blobBaseFeeAt(header.excessBlobGas ?? 0n, own.isCancun ? own : rules);
}

/** Blob base fee in wei per unit of blob gas (EIP-4844); 0 before Cancun. */
export function blobBaseFeeAt(excessBlobGas: bigint, rules: ForkRules): bigint {
  return rules.isCancun ? fakeExponential(1n, excessBlobGas, rules.blobFeeUpdateFraction) : 0n;
}

/** `factor * e ** (numerator / denominator)` by Taylor expansion in integers (EIP-4844). */
export function fakeExponential(factor: bigint, numerator: bigint, denominator: bigint): bigint {
  let output = 0n;
  let term = factor * denominator;
  for (let i = 1n; term > 0n; i += 1n) {
    output += term;
    term = (term * numerator) / (denominator * i);
  }
  return output / denominator;
}
