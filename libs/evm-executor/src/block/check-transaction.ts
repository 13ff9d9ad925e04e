import type { Transaction } from '@cairn/block-model';
import { TransactionInvalidError } from '../errors.ts';
import type { ForkRules } from '../fork-rules.ts';
import { gasPerBlob } from '../message-gas.ts';

/** Half of the order of secp256k1: of two signatures that are as good, the one with the lower s counts (EIP-2). */
const sMax = 0x7fffffffffffffffffffffffffffffff5d576e7357a4501ddfe92f46681b20a0n;

/**
 * Checks the form of a transaction of a block: type, chain and signature. What it does to accounts and takes of its block,
 * {@link checkMessage} checks.
 * @throws TRANSACTION_INVALID
 */
export function checkTransaction({ type, chainId, s, hash }: Transaction, rules: ForkRules): void {
  const refuse = (reason: string) => new TransactionInvalidError(hash, reason);
  const allowed = [true, rules.isBerlin, rules.isLondon, rules.isCancun, rules.isPrague];
  if (allowed[type] !== true) throw refuse(`its type ${type} is not allowed in ${rules.hardfork}`);
  if (chainId !== undefined && (chainId !== rules.chainId || (type === 0 && !rules.isSpuriousDragon)))
    throw refuse(`it is for chain ${chainId}, not ${rules.chainId}`);
  if (rules.isHomestead && s > sMax) throw refuse('the s of its signature is above half of the order of the curve');
}

/** Blob gas that the header must name (EIP-4844). */
export function blobGasOf(blobs: number): bigint {
  return BigInt(blobs) * gasPerBlob;
}
