import { type Transaction, type UnsignedFields, unsignedTransaction } from '@cairn/block-model';
import { zeroAddress } from '@cairn/evm';
import type { CallRequest } from './call-request.ts';

/** geth derives the chain of a legacy transaction from `v`, in 64 bits; without a signature `v` is 0. */
const legacyChainId = BigInt.asUintN(64, -35n) / 2n;

export interface UnsignedCallOptions {
  readonly chainId: bigint;
  readonly gas: bigint;
  /** Wei. Without it, the transaction is a legacy one. */
  readonly baseFeePerGas: bigint | undefined;
}

/** Converts a call to an unsigned transaction of the newest type that its fields need (geth's `ToTransaction`). */
export function unsignedCall(call: CallRequest, { chainId, gas, baseFeePerGas }: UnsignedCallOptions): Transaction {
  const { gasPrice, authorizationList, blobVersionedHashes, accessList } = call;
  const from = call.from ?? zeroAddress;
  const common = {
    nonce: call.nonce ?? 0n,
    gas,
    to: call.to ?? null,
    value: call.value ?? 0n,
    input: call.data ?? '0x',
  } as const;
  // Like geth: a gas price takes precedence over every other field.
  if (gasPrice !== undefined || baseFeePerGas === undefined)
    return unsignedTransaction(from, { ...common, type: 0, gasPrice: gasPrice ?? 0n, chainId: legacyChainId });
  const fields: Omit<UnsignedFields, 'type'> = {
    ...common,
    chainId,
    maxFeePerGas: call.maxFeePerGas ?? 0n,
    maxPriorityFeePerGas: call.maxPriorityFeePerGas ?? 0n,
    accessList: accessList ?? [],
  };
  if (authorizationList !== undefined) return unsignedTransaction(from, { ...fields, type: 4, authorizationList });
  if (blobVersionedHashes === undefined) return unsignedTransaction(from, { ...fields, type: 2 });
  const maxFeePerBlobGas = call.maxFeePerBlobGas ?? 0n;
  return unsignedTransaction(from, { ...fields, type: 3, maxFeePerBlobGas, blobVersionedHashes });
}
