import {
  bytesFromHex,
  type Header,
  hexFromBytes,
  type Json,
  quantity,
  type Transaction,
  type UnsignedFields,
  unsignedTransaction,
} from '@cairn/block-model';
import { type AppliedMessage, applyMessage, type MessageContext, noAddress } from '../apply-message.ts';
import type { CallRequest } from '../call-request.ts';
import { CallRejectedError, SimulationError } from '../errors.ts';
import { revertMessage } from '../revert-reason.ts';
import type { Simulation } from './simulation.ts';
import { type NumberedLog, TransferLogs } from './transfer-logs.ts';

/** A transaction that was simulated. */
export interface SimulatedCall {
  readonly transaction: Transaction;
  readonly applied: AppliedMessage;
  readonly isSuccess: boolean;
  readonly gasUsed: bigint;
  /** With transfers, where they are traced. */
  readonly logs: readonly NumberedLog[];
  /** How many numbers its logs take. */
  readonly logsMade: number;
}

export interface SimulateCallOptions {
  readonly simulation: Simulation;
  /** By the transactions before it in its block. */
  readonly blockGasUsed: bigint;
  /** What the whole simulation may still use. */
  readonly gasLeft: bigint;
}

const vmErrorCode = -32015;
const revertCode = 3;

/** Runs one call as a transaction of a simulated block. @throws SIMULATION_GAS_EXCEEDED, CALL_* */
export async function simulateCall(
  context: MessageContext,
  request: CallRequest,
  { simulation, blockGasUsed, gasLeft }: SimulateCallOptions,
): Promise<SimulatedCall> {
  const { gasLimit: blockGasLimit } = context.block;
  const asked = request.gas ?? blockGasLimit - blockGasUsed;
  if (blockGasUsed + asked > blockGasLimit) {
    throw new SimulationError(
      'SIMULATION_GAS_EXCEEDED',
      `block gas limit reached: ${blockGasUsed + asked} >= ${blockGasLimit}`,
      'Give the call less gas, or the block more with blockOverrides.gasLimit.',
    );
  }
  const gasLimit = asked < gasLeft ? asked : gasLeft;
  const from = request.from ?? noAddress;
  const nonce = request.nonce ?? context.world.getNonce(bytesFromHex(from));
  const call = { ...request, nonce };
  const transaction = transactionOf(context, call, gasLimit);
  const isChecked = simulation.validation === true;
  const tracer = simulation.traceTransfers === true ? new TransferLogs() : undefined;
  const applied = await applyMessage(context, call, {
    gasLimit,
    checks: { paysBaseFee: isChecked, followsNonce: isChecked },
    hidesPrices: false,
    tracer,
  }).catch((error: unknown) => {
    if (!(error instanceof CallRejectedError)) throw error;
    throw new CallRejectedError(
      error.code,
      `err: ${error.message} (supplied gas ${gasLimit})`,
      error.hint ?? '',
      error.details,
    );
  });
  const { outcome, gasUsed } = applied;
  return {
    transaction,
    applied,
    isSuccess: outcome.kind === 'success',
    gasUsed,
    logs: tracer?.logs ?? outcome.logs.map(({ address, topics, data }, index) => ({ address, topics, data, index })),
    logsMade: tracer?.made ?? outcome.logs.length,
  };
}

/** The transaction that such a call would be: of the newest type that its fields ask for (geth's `ToTransaction`). */
function transactionOf({ rules, block }: MessageContext, call: CallRequest, gas: bigint): Transaction {
  const { gasPrice, authorizationList, blobVersionedHashes, accessList = [] } = call;
  const common = {
    nonce: call.nonce ?? 0n,
    gas,
    to: call.to ?? null,
    value: call.value ?? 0n,
    input: call.data ?? '0x',
  } as const;
  const from = call.from ?? noAddress;
  if (gasPrice !== undefined || block.baseFeePerGas === undefined)
    return unsignedTransaction(from, { ...common, type: 0, gasPrice: gasPrice ?? 0n });
  const fields: Omit<UnsignedFields, 'type'> = {
    ...common,
    chainId: rules.chainId,
    maxFeePerGas: call.maxFeePerGas ?? 0n,
    maxPriorityFeePerGas: call.maxPriorityFeePerGas ?? 0n,
    accessList,
  };
  if (authorizationList !== undefined) return unsignedTransaction(from, { ...fields, type: 4, authorizationList });
  if (blobVersionedHashes === undefined) return unsignedTransaction(from, { ...fields, type: 2 });
  const maxFeePerBlobGas = call.maxFeePerBlobGas ?? 0n;
  return unsignedTransaction(from, { ...fields, type: 3, maxFeePerBlobGas, blobVersionedHashes });
}

/** A call's entry in the answer. */
export function callToJson(
  { transaction, applied, isSuccess, gasUsed, logs }: SimulatedCall,
  { header, index, logIndex }: { readonly header: Header; readonly index: number; readonly logIndex: number },
): Json {
  const { outcome, gasUsedMax } = applied;
  return {
    returnData: isSuccess ? hexFromBytes(outcome.output) : '0x',
    logs: logs.map(({ address, topics, data, index: at }) => ({
      address,
      topics,
      data,
      blockNumber: quantity(header.number),
      transactionHash: transaction.hash,
      transactionIndex: quantity(index),
      blockHash: header.hash,
      blockTimestamp: quantity(header.timestamp),
      logIndex: quantity(logIndex + at),
      removed: false,
    })),
    gasUsed: quantity(gasUsed),
    maxUsedGas: quantity(gasUsedMax),
    status: isSuccess ? '0x1' : '0x0',
    ...(outcome.kind === 'revert' && {
      error: { message: revertMessage(outcome.output), code: revertCode, data: hexFromBytes(outcome.output) },
    }),
    ...(outcome.kind === 'halt' && { error: { message: outcome.reason, code: vmErrorCode } }),
  };
}
