import type { Transaction } from '@cairn/block-model';
import type { ForkRules } from '@cairn/evm';
import { TransactionInvalidError } from '../errors.ts';
import { gasPerBlob } from '../message-gas.ts';

/** Half the order of secp256k1. EIP-2 forbids the higher s of the two valid signatures. */
export const halfCurveOrder = 0x7fffffffffffffffffffffffffffffff5d576e7357a4501ddfe92f46681b20a0n;

/**
 * Checks type, chain and signature of a transaction of a block. {@link checkMessage} checks the rest.
 * @throws TRANSACTION_INVALID
 */
export function checkTransaction({ type, chainId, s, hash }: Transaction, rules: ForkRules): void {
  const refuse = (reason: string) => new TransactionInvalidError(hash, reason);
  const allowed = [true, rules.isBerlin, rules.isLondon, rules.isCancun, rules.isPrague];
  if (allowed[type] !== true) throw refuse(`its type ${type} is not allowed in ${rules.hardfork}`);
  if (chainId !== undefined && (chainId !== rules.chainId || (type === 0 && !rules.isSpuriousDragon)))
    throw refuse(`it is for chain ${chainId}, not ${rules.chainId}`);
  if (rules.isHomestead && s > halfCurveOrder)
    throw refuse('the s of its signature is above half the order of the curve');
}

/** Blob gas of a number of blobs (EIP-4844). */
export function blobGasOf(blobs: number): bigint {
  return BigInt(blobs) * gasPerBlob;
}
