import { bytesFromHex, type Hex } from '@cairn/block-model';
import type { ForkRules } from '@cairn/evm';
import { delegationOf } from '@cairn/evm';
import type { BlockEnvironment } from './block-environment.ts';
import type { CallFees } from './call-fees.ts';
import type { CallRequest } from './call-request.ts';
import { checksumAddress } from './checksum-address.ts';
import { CallRejectedError, type CallRejectionCode } from './errors.ts';
import { floorGas, gasPerBlob, intrinsicGas, transactionGasMax } from './message-gas.ts';

/** Maximum length of init code (EIP-3860). */
export const initCodeBytesMax = 49_152;
const blobHashVersion = 1;
/** Maximum nonce (EIP-2681). An account with it can neither send a transaction nor create a contract. */
export const nonceMax = 2n ** 64n - 1n;
/** Maximum number of blobs in a transaction from Osaka on (EIP-7594). */
export const blobsOfTransactionMax = 6;
const uint256Max = 2n ** 256n - 1n;

/** Input of {@link checkMessage}. */
export interface CheckedCall {
  readonly call: CallRequest;
  readonly rules: ForkRules;
  /** Block environment of the message: fees that a call does not pay are zero. */
  readonly block: BlockEnvironment;
  readonly fees: CallFees;
  readonly sender: Hex;
  /** Balance of the sender, in wei. */
  readonly balance: bigint;
  /** Nonce of the sender. */
  readonly nonce: bigint;
  readonly gasLimit: bigint;
  readonly data: Uint8Array;
}

/** Checks that apply to transactions but not to calls. */
export interface CallChecks {
  /** Messages without fees must pay the base fee too. Default false. */
  readonly paysBaseFee?: boolean;
  /** `call.nonce` must equal the nonce of the sender. Default false. */
  readonly followsNonce?: boolean;
  /** Limits of a transaction in a block; absent for calls. They include the gas cap (EIP-7825) and a sender without code (EIP-3607). */
  readonly transaction?: {
    /** Code of the sender. */
    readonly senderCode: Uint8Array;
    /** Gas of the block that earlier transactions have left. */
    readonly blockGasLeft: bigint;
    readonly blobsLeft: bigint;
  };
}

/** Costs of a message that are known before it runs. */
export interface CallPrice {
  /** Wei deducted from the sender's balance before the code runs. */
  readonly upfront: bigint;
  readonly intrinsic: bigint;
  readonly floor: bigint;
}

/**
 * Performs the checks of geth's state transition in geth's order, for calls, simulations and transactions of blocks. `checks`
 * enable those that calls are exempt from.
 * @throws every code CALL_* except CALL_CHAIN_ID_MISMATCH
 */
export function checkMessage(checked: CheckedCall, checks: CallChecks = {}): CallPrice {
  const { call, rules, gasLimit, data } = checked;
  if (checks.followsNonce === true) checkNonce(checked);
  if (checks.transaction !== undefined) checkSender(checked, checks.transaction.senderCode);
  checkFees(checked, checks.paysBaseFee === true);
  checkBlobs(checked, checks);
  checkAuthorizations(call, checked.sender);
  if (rules.isShanghai && call.to === undefined && data.length > initCodeBytesMax) {
    throw new CallRejectedError(
      'CALL_INITCODE_TOO_LARGE',
      `max initcode size exceeded: code size ${data.length} limit ${initCodeBytesMax}`,
      'Deploy the contract in parts (EIP-3860), or name the contract in call.to.',
      { bytes: data.length, bytesMax: initCodeBytesMax },
    );
  }
  if (checks.transaction !== undefined && gasLimit > checks.transaction.blockGasLeft) {
    const { blockGasLeft } = checks.transaction;
    throw rejected('CALL_BLOCK_GAS_EXCEEDED', 'gas limit reached', `Lower its gas limit to ${blockGasLeft} or less.`, {
      have: `${gasLimit}`,
      max: `${blockGasLeft}`,
    });
  }
  const upfront = checkFunds(checked);
  const intrinsic = intrinsicGas(call, data, rules);
  if (gasLimit < intrinsic) throw gasTooLow('CALL_GAS_TOO_LOW', 'intrinsic gas too low', gasLimit, intrinsic);
  const floor = floorGas(data, rules);
  if (gasLimit < floor)
    throw gasTooLow('CALL_GAS_BELOW_FLOOR', 'insufficient gas for floor data gas cost', gasLimit, floor);
  return { upfront, intrinsic, floor };
}

function rejected(
  code: CallRejectionCode,
  message: string,
  hint: string,
  details?: Readonly<Record<string, unknown>>,
): CallRejectedError {
  return new CallRejectedError(code, message, hint, details);
}

function checkNonce({ call, nonce, sender }: CheckedCall): void {
  const given = call.nonce ?? nonce;
  if (given === nonce && nonce < nonceMax) return;
  const address = checksumAddress(sender);
  const refuse = (code: CallRejectionCode, message: string) =>
    rejected(code, message, `Give nonce ${nonce}, or leave it out.`, { have: `${given}`, want: `${nonce}` });
  if (given > nonce)
    throw refuse('CALL_NONCE_TOO_HIGH', `nonce too high: address ${address}, tx: ${given} state: ${nonce}`);
  if (given < nonce)
    throw refuse('CALL_NONCE_TOO_LOW', `nonce too low: address ${address}, tx: ${given} state: ${nonce}`);
  throw rejected(
    'CALL_NONCE_SPENT',
    `nonce has max value: address ${address}, nonce: ${nonce}`,
    'Send from another account: this one has reached the maximum nonce (EIP-2681).',
    { have: `${given}`, want: `${nonce}` },
  );
}

function checkSender({ rules, gasLimit, sender }: CheckedCall, code: Uint8Array): void {
  if (rules.isOsaka && gasLimit > transactionGasMax) {
    throw rejected(
      'CALL_GAS_TOO_HIGH',
      `transaction gas limit too high (cap: ${transactionGasMax}, tx: ${gasLimit})`,
      `Lower its gas limit to ${transactionGasMax} or less (EIP-7825).`,
      { have: `${gasLimit}`, max: `${transactionGasMax}` },
    );
  }
  if (code.length === 0 || delegationOf(code) !== undefined) return;
  throw rejected(
    'CALL_SENDER_HAS_CODE',
    `sender not an eoa: address ${checksumAddress(sender)}, len(code): ${code.length}`,
    'Send from an account without code (EIP-3607).',
    { bytes: code.length },
  );
}

function checkFees({ fees: { feeCap, tipCap }, rules, block, sender }: CheckedCall, paysBaseFee: boolean): void {
  const { baseFeePerGas = 0n } = block;
  if (!rules.isLondon || (feeCap === 0n && tipCap === 0n && !paysBaseFee)) return;
  if (feeCap < tipCap) {
    throw new CallRejectedError(
      'CALL_FEE_INVALID',
      `max priority fee per gas higher than max fee per gas: address ${checksumAddress(sender)}, maxPriorityFeePerGas: ${tipCap}, maxFeePerGas: ${feeCap}`,
      'Raise call.maxFeePerGas.',
    );
  }
  if (feeCap < baseFeePerGas) {
    throw new CallRejectedError(
      'CALL_FEE_BELOW_BASE',
      `max fee per gas less than block base fee: address ${checksumAddress(sender)}, maxFeePerGas: ${feeCap}, baseFee: ${baseFeePerGas}`,
      paysBaseFee ? 'Offer at least the base fee.' : 'Leave all fees out, or offer at least the base fee.',
    );
  }
}

function checkBlobs({ call, rules, block, sender }: CheckedCall, { paysBaseFee, transaction }: CallChecks): void {
  const hashes = call.blobVersionedHashes;
  if (hashes === undefined) return;
  const refuse = (message: string, hint: string) => new CallRejectedError('CALL_BLOBS_INVALID', message, hint);
  if (call.to === undefined) {
    throw refuse('blob transaction of type create', 'Set call.to: a blob transaction cannot create a contract.');
  }
  if (hashes.length === 0) {
    throw refuse('blob transaction missing blob hashes', 'Leave call.blobVersionedHashes out, or add a hash.');
  }
  if (rules.isOsaka && hashes.length > blobsOfTransactionMax) {
    throw refuse(
      'blob transaction has too many blobs',
      `Send at most ${blobsOfTransactionMax} of the ${hashes.length} blobs (EIP-7594).`,
    );
  }
  for (const [index, hash] of hashes.entries()) {
    if (bytesFromHex(hash)[0] !== blobHashVersion) {
      throw refuse(`blob ${index} has invalid hash version`, 'Use versioned hashes that begin with 0x01 (EIP-4844).');
    }
  }
  if (transaction !== undefined && hashes.length > transaction.blobsLeft) {
    throw refuse(
      `blob gas limit reached: ${hashes.length} blobs, ${transaction.blobsLeft} left`,
      `Send at most ${transaction.blobsLeft} blobs (EIP-4844).`,
    );
  }
  const feeCap = call.maxFeePerBlobGas ?? 0n;
  const blobBaseFee = block.blobBaseFee ?? 0n;
  if (rules.isCancun && (feeCap > 0n || paysBaseFee) && feeCap < blobBaseFee) {
    throw refuse(
      `max fee per blob gas less than block blob gas fee: address ${checksumAddress(sender)} blobGasFeeCap: ${feeCap}, blobBaseFee: ${blobBaseFee}`,
      paysBaseFee
        ? 'Offer at least the blob base fee.'
        : 'Leave call.maxFeePerBlobGas out, or offer at least the blob base fee.',
    );
  }
}

function checkAuthorizations({ to, authorizationList }: CallRequest, sender: Hex): void {
  if (authorizationList === undefined) return;
  if (to === undefined) {
    throw new CallRejectedError(
      'CALL_AUTHORIZATIONS_INVALID',
      `EIP-7702 transaction cannot be used to create contract (sender ${checksumAddress(sender)})`,
      'Set call.to: a transaction with authorizations cannot create a contract.',
    );
  }
  if (authorizationList.length === 0) {
    throw new CallRejectedError(
      'CALL_AUTHORIZATIONS_INVALID',
      `EIP-7702 transaction with empty auth list (sender ${checksumAddress(sender)})`,
      'Leave call.authorizationList out, or add an authorization.',
    );
  }
}

/** @returns price of gas and blobs that is deducted up front, in wei */
function checkFunds({ call, rules, block, fees, sender, balance, gasLimit }: CheckedCall): bigint {
  const blobGas = rules.isCancun ? BigInt(call.blobVersionedHashes?.length ?? 0) * gasPerBlob : 0n;
  const blobFeeCap = call.maxFeePerBlobGas ?? 0n;
  const upfront = gasLimit * fees.gasPrice + blobGas * (block.blobBaseFee ?? 0n);
  const want = gasLimit * fees.feeCap + (call.value ?? 0n) + blobGas * blobFeeCap;
  if (want <= uint256Max && upfront <= uint256Max && balance >= want) return upfront;
  const address = checksumAddress(sender);
  throw rejected(
    'CALL_FUNDS_INSUFFICIENT',
    want > uint256Max || upfront > uint256Max
      ? `insufficient funds for gas * price + value: address ${address} required balance exceeds 256 bits`
      : `insufficient funds for gas * price + value: address ${address} have ${balance} want ${want}`,
    'Lower call.value, call.gas or the fees, or override the balance of the sender.',
    { address, have: `${balance}`, want: `${want}` },
  );
}

function gasTooLow(
  code: 'CALL_GAS_TOO_LOW' | 'CALL_GAS_BELOW_FLOOR',
  message: string,
  have: bigint,
  want: bigint,
): CallRejectedError {
  return rejected(code, `${message}: have ${have}, want ${want}`, `Give at least ${want} gas.`, {
    have: `${have}`,
    want: `${want}`,
  });
}
