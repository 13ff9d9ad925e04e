import { type Header, senderOf, type Transaction } from '@cairn/block-model';
import { addressFromHex } from '../addresses.ts';
import { delegationOf } from '../authorizations.ts';
import { blobBaseFeeAt } from '../block-environment.ts';
import { TransactionInvalidError } from '../errors.ts';
import type { ForkRules } from '../fork-rules.ts';
import { gasPerBlob, transactionGasMax } from '../transaction-rules.ts';
import type { WorldState } from '../world-state.ts';

/** Half of the order of secp256k1: of two signatures that are as good, the one with the lower s counts (EIP-2). */
const sMax = 0x7fffffffffffffffffffffffffffffff5d576e7357a4501ddfe92f46681b20a0n;
/** EIP-7594. */
const blobsOfTransactionMax = 6;

/** Where in a block a transaction stands. */
export interface BlockSoFar {
  readonly header: Header;
  readonly gasUsed: bigint;
  readonly blobs: number;
}

/**
 * What a transaction of a block must keep beyond what {@link applyMessage} checks: type, chain, signature, a sender
 * without code (EIP-3607), and its part of the block's gas and blobs.
 * @throws TRANSACTION_INVALID
 */
export function checkTransaction(
  transaction: Transaction,
  { header, gasUsed, blobs }: BlockSoFar,
  rules: ForkRules,
  world: WorldState,
): void {
  const { type, chainId, gas, s, hash } = transaction;
  const refuse = (reason: string) => new TransactionInvalidError(hash, reason);
  const allowed = [true, rules.isBerlin, rules.isLondon, rules.isCancun, rules.isPrague];
  if (allowed[type] !== true) throw refuse(`its type ${type} is not allowed in ${rules.hardfork}`);
  if (chainId !== undefined && (chainId !== rules.chainId || (type === 0 && !rules.isSpuriousDragon)))
    throw refuse(`it is for chain ${chainId}, not ${rules.chainId}`);
  if (rules.isHomestead && s > sMax) throw refuse('the s of its signature is above half of the order of the curve');
  if (gas > header.gasLimit - gasUsed)
    throw refuse(`its gas ${gas} is above the ${header.gasLimit - gasUsed} that the block has left`);
  if (rules.isOsaka && gas > transactionGasMax) throw refuse(`its gas ${gas} is above ${transactionGasMax}`);
  const code = world.getCode(addressFromHex(senderOf(transaction)));
  if (code.length > 0 && !(rules.isPrague && delegationOf(code) !== undefined)) throw refuse('its sender has code');
  if (type === 3) checkBlobs(transaction, { header, gasUsed, blobs }, rules);
}

function checkBlobs(transaction: Transaction, { header, blobs }: BlockSoFar, rules: ForkRules): void {
  const { blobVersionedHashes = [], maxFeePerBlobGas = 0n, hash } = transaction;
  const count = blobVersionedHashes.length;
  const refuse = (reason: string) => new TransactionInvalidError(hash, reason);
  if (count === 0) throw refuse('it has no blobs');
  if (rules.isOsaka && count > blobsOfTransactionMax)
    throw refuse(`it has ${count} blobs, more than ${blobsOfTransactionMax}`);
  if (BigInt(blobs + count) > rules.blobsMax) throw refuse(`with it the block has more than ${rules.blobsMax} blobs`);
  const price = blobBaseFeeAt(header.excessBlobGas ?? 0n, rules);
  if (maxFeePerBlobGas < price) throw refuse(`it offers ${maxFeePerBlobGas} wei for blob gas, which costs ${price}`);
}

/** Blob gas that the header must name (EIP-4844). */
export function blobGasOf(blobs: number): bigint {
  return BigInt(blobs) * gasPerBlob;
}
