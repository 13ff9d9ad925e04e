import type { ForkRules } from '@cairn/evm';
import type { CallRequest } from './call-request.ts';

const gas = {
  transaction: 21_000n,
  creation: 32_000n,
  zeroByte: 4n,
  otherByteFrontier: 68n,
  otherByte: 16n,
  initCodeWord: 2n,
  accessListAddress: 2_400n,
  accessListSlot: 1_900n,
  floorToken: 10n,
} as const;

/** Price of an authorization, valid or not (EIP-7702). */
export const authorizationGas = 25_000n;
/** Gas of a plain transfer, the minimum for every message. */
export const transactionGas = gas.transaction;
/** Maximum gas limit of a transaction (EIP-7825). */
export const transactionGasMax = 2n ** 24n;
/** Blob gas of one blob (EIP-4844). */
export const gasPerBlob = 131_072n;

/** Gas charged before any code runs (geth's `IntrinsicGas`). */
export function intrinsicGas(call: CallRequest, data: Uint8Array, rules: ForkRules): bigint {
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
  return total + BigInt(call.authorizationList?.length ?? 0) * authorizationGas;
}

/** Minimum gas of a transaction with this data (EIP-7623); 0 before Prague. */
export function floorGas(data: Uint8Array, rules: ForkRules): bigint {
  if (!rules.isPrague) return 0n;
  const zeros = zeroBytes(data);
  return gas.transaction + BigInt(zeros + (data.length - zeros) * 4) * gas.floorToken;
}

function zeroBytes(data: Uint8Array): number {
  let count = 0;
  for (let at = 0; at < data.length; at++) if (data[at] === 0) count++;
  return count;
}
