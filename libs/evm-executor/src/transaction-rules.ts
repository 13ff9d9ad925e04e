import { bytesFromHex, type Hex } from '@cairn/block-model';
import { toChecksumAddress } from '@ethereumjs/util';
import type { BlockEnvironment } from './block-environment.ts';
import type { CallRequest } from './call-request.ts';
import { CallRejectedError } from './errors.ts';
import type { ForkRules } from './fork-rules.ts';

const gas = {
  transaction: 21_000n,
  creation: 32_000n,
  zeroByte: 4n,
  otherByteFrontier: 68n,
  otherByte: 16n,
  initCodeWord: 2n,
  accessListAddress: 2_400n,
  accessListSlot: 1_900n,
  authorization: 25_000n,
  floorToken: 10n,
} as const;

const initCodeBytesMax = 49_152;
const blobHashVersion = 1;
const nonceMax = 2n ** 64n - 1n;
/** EIP-7825. */
export const transactionGasMax = 2n ** 24n;
/** EIP-4844. */
export const gasPerBlob = 131_072n;
const uint256Max = 2n ** 256n - 1n;

/** What a call pays for gas, as geth's `ToMessage` works it out. All zero where no price is given. */
export interface CallFees {
  readonly gasPrice: bigint;
  readonly feeCap: bigint;
  readonly tipCap: bigint;
}

/** @throws CALL_FEE_INVALID for fields of two generations at once */
export function callFees(call: CallRequest, block: BlockEnvironment): CallFees {
  const { gasPrice, maxFeePerGas, maxPriorityFeePerGas } = call;
  if (gasPrice !== undefined && (maxFeePerGas !== undefined || maxPriorityFeePerGas !== undefined)) {
    throw new CallRejectedError(
      'CALL_FEE_INVALID',
      'both gasPrice and (maxFeePerGas or maxPriorityFeePerGas) specified',
      'Keep one of the two.',
    );
  }
  const { baseFeePerGas } = block;
  if (gasPrice !== undefined || baseFeePerGas === undefined) {
    const price = gasPrice ?? 0n;
    return { gasPrice: price, feeCap: price, tipCap: price };
  }
  const feeCap = maxFeePerGas ?? 0n;
  const tipCap = maxPriorityFeePerGas ?? 0n;
  if (feeCap === 0n && tipCap === 0n) return { gasPrice: 0n, feeCap, tipCap };
  const wanted = tipCap + baseFeePerGas;
  return { gasPrice: wanted < feeCap ? wanted : feeCap, feeCap, tipCap };
}

/** Gas that a transaction costs before any code runs (geth's `IntrinsicGas`). */
function intrinsicGas(call: CallRequest, data: Uint8Array, rules: ForkRules): bigint {
  const isCreation = call.to === undefined;
  let total = gas.transaction;
  if (isCreation && rules.isHomestead) total += gas.creation;
  const zeros = zeroBytes(data);
  total += BigInt(zeros) * gas.zeroByte;
  total += BigInt(data.length - zeros) * (rules.isIstanbul ? gas.otherByte : gas.otherByteFrontier);
  if (isCreation && rules.isShanghai) total += BigInt(Math.ceil(data.length / 32)) * gas.initCodeWord;
  for (const { storageKeys } of call.accessList ?? []) {
    total += gas.accessListAddress + BigInt(storageKeys.length) * gas.accessListSlot;
  }
  return total + BigInt(call.authorizationList?.length ?? 0) * gas.authorization;
}

/** The least that a transaction with this data costs (EIP-7623); 0 before Prague. */
function floorGas(data: Uint8Array, rules: ForkRules): bigint {
  if (!rules.isPrague) return 0n;
  const zeros = zeroBytes(data);
  return gas.transaction + BigInt(zeros + (data.length - zeros) * 4) * gas.floorToken;
}

function zeroBytes(data: Uint8Array): number {
  let count = 0;
  for (let at = 0; at < data.length; at++) if (data[at] === 0) count++;
  return count;
}

/** What {@link checkCall} looks at. */
export interface CheckedCall {
  readonly call: CallRequest;
  readonly rules: ForkRules;
  readonly block: BlockEnvironment;
  readonly fees: CallFees;
  readonly sender: Hex;
  /** Of the sender, in wei. */
  readonly balance: bigint;
  /** Of the sender. */
  readonly nonce: bigint;
  readonly gasLimit: bigint;
  readonly data: Uint8Array;
}

/** What real transactions are held to and calls are not. */
export interface CallChecks {
  /** The base fee must be met even by those who offer nothing. Default false. */
  readonly paysBaseFee?: boolean;
  /** `call.nonce` must be that of the sender. Default false. */
  readonly followsNonce?: boolean;
}

/** What the sender pays up front. */
export interface CallPrice {
  /** Wei, taken off the balance while the call runs. */
  readonly upfront: bigint;
  readonly intrinsic: bigint;
  readonly floor: bigint;
}

/**
 * The checks of geth's state transition, in its order. Calls are not held to nonce, code of the sender and the gas cap
 * of EIP-7825.
 * @throws CALL_NONCE_TOO_LOW, CALL_NONCE_TOO_HIGH, CALL_NONCE_SPENT, CALL_FEE_BELOW_BASE, CALL_FEE_INVALID, CALL_BLOBS_INVALID, CALL_AUTHORIZATIONS_INVALID, CALL_FUNDS_INSUFFICIENT,
 *   CALL_GAS_TOO_LOW, CALL_INITCODE_TOO_LARGE, CALL_CHAIN_ID_MISMATCH
 */
export function checkCall(checked: CheckedCall, checks: CallChecks = {}): CallPrice {
  const { call, rules, gasLimit, data } = checked;
  if (call.chainId !== undefined && call.chainId !== rules.chainId) {
    throw new CallRejectedError(
      'CALL_CHAIN_ID_MISMATCH',
      `chainId does not match node's (have=${call.chainId}, want=${rules.chainId})`,
      'Leave call.chainId out, or ask another network.',
      { have: `${call.chainId}`, want: `${rules.chainId}` },
    );
  }
  if (checks.followsNonce === true) checkNonce(checked);
  checkFees(checked, checks.paysBaseFee === true);
  checkBlobs(checked);
  checkAuthorizations(call);
  const upfront = checkFunds(checked);
  const intrinsic = intrinsicGas(call, data, rules);
  if (gasLimit < intrinsic) throw gasTooLow('intrinsic gas too low', gasLimit, intrinsic);
  const floor = floorGas(data, rules);
  if (gasLimit < floor) throw gasTooLow('insufficient gas for floor data gas cost', gasLimit, floor);
  if (rules.isShanghai && call.to === undefined && data.length > initCodeBytesMax) {
    throw new CallRejectedError(
      'CALL_INITCODE_TOO_LARGE',
      `max initcode size exceeded: code size ${data.length} limit ${initCodeBytesMax}`,
      'Deploy the contract in parts (EIP-3860), or name the contract in call.to.',
      { bytes: data.length, bytesMax: initCodeBytesMax },
    );
  }
  return { upfront, intrinsic, floor };
}

function checkNonce({ call, nonce, sender }: CheckedCall): void {
  const given = call.nonce ?? nonce;
  if (given === nonce && nonce < nonceMax) return;
  const address = toChecksumAddress(sender);
  const refuse = (code: 'CALL_NONCE_TOO_LOW' | 'CALL_NONCE_TOO_HIGH' | 'CALL_NONCE_SPENT', message: string) =>
    new CallRejectedError(code, message, `Give nonce ${nonce}, or leave it out.`, {
      have: `${given}`,
      want: `${nonce}`,
    });
  if (given > nonce) {
    throw refuse('CALL_NONCE_TOO_HIGH', `nonce too high: address ${address}, tx: ${given} state: ${nonce}`);
  }
  if (given < nonce)
    throw refuse('CALL_NONCE_TOO_LOW', `nonce too low: address ${address}, tx: ${given} state: ${nonce}`);
  throw refuse('CALL_NONCE_SPENT', `nonce has max value: address ${address}, nonce: ${nonce}`);
}

function checkFees({ fees: { feeCap, tipCap }, block, sender }: CheckedCall, paysBaseFee: boolean): void {
  const { baseFeePerGas } = block;
  if (baseFeePerGas === undefined || (feeCap === 0n && tipCap === 0n && !paysBaseFee)) return;
  if (feeCap < tipCap) {
    throw new CallRejectedError(
      'CALL_FEE_INVALID',
      `max priority fee per gas higher than max fee per gas: address ${toChecksumAddress(sender)}, maxPriorityFeePerGas: ${tipCap}, maxFeePerGas: ${feeCap}`,
      'Raise call.maxFeePerGas.',
    );
  }
  if (feeCap < baseFeePerGas) {
    throw new CallRejectedError(
      'CALL_FEE_BELOW_BASE',
      `max fee per gas less than block base fee: address ${toChecksumAddress(sender)}, maxFeePerGas: ${feeCap}, baseFee: ${baseFeePerGas}`,
      paysBaseFee ? 'Offer the base fee at least.' : 'Leave all fees out, or offer the base fee at least.',
    );
  }
}

function checkBlobs({ call, rules, block, sender }: CheckedCall): void {
  const hashes = call.blobVersionedHashes;
  if (hashes === undefined) return;
  const refuse = (message: string, hint: string) => new CallRejectedError('CALL_BLOBS_INVALID', message, hint);
  if (call.to === undefined) {
    throw refuse('blob transaction of type create', 'Name the contract in call.to: blobs do not create one.');
  }
  if (hashes.length === 0) {
    throw refuse('blob transaction missing blob hashes', 'Leave call.blobVersionedHashes out, or fill it.');
  }
  for (const [index, hash] of hashes.entries()) {
    if (bytesFromHex(hash)[0] !== blobHashVersion) {
      throw refuse(`blob ${index} has invalid hash version`, 'Versioned hashes begin with 0x01 (EIP-4844).');
    }
  }
  const feeCap = call.maxFeePerBlobGas ?? 0n;
  const blobBaseFee = block.blobBaseFee ?? 0n;
  if (rules.isCancun && feeCap > 0n && feeCap < blobBaseFee) {
    throw refuse(
      `max fee per blob gas less than block blob gas fee: address ${toChecksumAddress(sender)} blobGasFeeCap: ${feeCap}, blobBaseFee: ${blobBaseFee}`,
      'Leave call.maxFeePerBlobGas out, or offer the blob base fee at least.',
    );
  }
}

function checkAuthorizations({ to, authorizationList }: CallRequest): void {
  if (authorizationList === undefined) return;
  if (to === undefined) {
    throw new CallRejectedError(
      'CALL_AUTHORIZATIONS_INVALID',
      'EIP-7702 transaction cannot be used to create contract',
      'Name the contract in call.to.',
    );
  }
  if (authorizationList.length === 0) {
    throw new CallRejectedError(
      'CALL_AUTHORIZATIONS_INVALID',
      'EIP-7702 transaction with empty auth list',
      'Leave call.authorizationList out, or fill it.',
    );
  }
}

/** @returns what gas and blobs cost up front, in wei */
function checkFunds({ call, rules, block, fees, sender, balance, gasLimit }: CheckedCall): bigint {
  const blobGas = rules.isCancun ? BigInt(call.blobVersionedHashes?.length ?? 0) * gasPerBlob : 0n;
  const blobFeeCap = call.maxFeePerBlobGas ?? 0n;
  const want = gasLimit * fees.feeCap + (call.value ?? 0n) + blobGas * blobFeeCap;
  if (want > uint256Max || balance < want) {
    const address = toChecksumAddress(sender);
    throw new CallRejectedError(
      'CALL_FUNDS_INSUFFICIENT',
      want > uint256Max
        ? `insufficient funds for gas * price + value: address ${address} required balance exceeds 256 bits`
        : `insufficient funds for gas * price + value: address ${address} have ${balance} want ${want}`,
      'Lower call.value, call.gas or the fees, or override the balance of the sender.',
      { address, have: `${balance}`, want: `${want}` },
    );
  }
  // A blob fee that is given as zero makes the blob base fee zero, as it is for gas.
  const blobPrice = blobFeeCap === 0n ? 0n : (block.blobBaseFee ?? 0n);
  return gasLimit * fees.gasPrice + blobGas * blobPrice;
}

function gasTooLow(what: string, have: bigint, want: bigint): CallRejectedError {
  return new CallRejectedError(
    'CALL_GAS_TOO_LOW',
    `${what}: have ${have}, want ${want}`,
    `Give ${want} gas at least.`,
    { have: `${have}`, want: `${want}` },
  );
}
