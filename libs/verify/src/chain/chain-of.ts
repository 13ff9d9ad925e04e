import { type ChainSpec, type KnownChain, knownChainSpec } from '@cairn/block-model';
import { VerifyError } from '../errors.ts';

/** A chain whose rules ship with the library, or the rules of another chain. */
export type VerifiedChain = KnownChain | ChainSpec;

/** Rules of a chain. They are never taken from an answer. */
export function specOf(chain: VerifiedChain = 'mainnet'): ChainSpec {
  return typeof chain === 'string' ? knownChainSpec(chain, chain) : chain;
}

/** @throws CHAIN_MISMATCH */
export function requireChain(spec: ChainSpec, chainId: bigint): void {
  if (BigInt(spec.chainId) === chainId) return;
  throw new VerifyError('CHAIN_MISMATCH', `The witness is for chain ${chainId}, not ${spec.chainId}.`, {
    details: { expected: spec.chainId, actual: String(chainId) },
  });
}
