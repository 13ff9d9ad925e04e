import { bytesFromHex, type Header, hexFromBytes, type Json, quantity, type Transaction } from '@cairn/block-model';
import type { EngineOutcome } from '@cairn/evm';
import { zeroAddress } from '@cairn/evm';
import { type AppliedMessage, applyMessage, type MessageContext } from '../apply-message.ts';
import type { CallRequest } from '../call-request.ts';
import { SimulationError } from '../errors.ts';
import { revertMessage } from '../revert-reason.ts';
import { rewordCallRejection } from '../reword-rejection.ts';
import { unsignedCall } from '../unsigned-call.ts';
import type { Simulation } from './simulation.ts';
import { type NumberedLog, TransferLogs } from './transfer-logs.ts';

/** Result of a simulated transaction. */
export interface SimulatedCall {
  readonly transaction: Transaction;
  readonly applied: AppliedMessage;
  readonly isSuccess: boolean;
  /** The gas limit was lowered to the gas left in the simulation. */
  readonly isGasCapped: boolean;
  readonly gasUsed: bigint;
  /** Includes transfers if they are traced. */
  readonly logs: readonly NumberedLog[];
  /** Number of logs, reverted ones included. */
  readonly logsMade: number;
}

export interface SimulateCallOptions {
  readonly simulation: Simulation;
  /** Gas used by earlier transactions of the block. */
  readonly blockGasUsed: bigint;
  /** Gas left for the rest of the simulation. */
  readonly gasLeft: bigint;
}

const vmErrorCode = -32015;
const gasCapNote = " (gas limit was capped by the RPC server's global gas cap)";
const revertCode = 3;

/** Executes one call as a transaction of a simulated block. @throws SIMULATION_GAS_EXCEEDED, CALL_* */
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
      `block gas limit reached: remaining: ${blockGasLimit - blockGasUsed}, required: ${asked}`,
      'Lower the gas of the call, or raise blockOverrides.gasLimit.',
    );
  }
  const gasLimit = asked < gasLeft ? asked : gasLeft;
  const from = request.from ?? zeroAddress;
  const nonce = request.nonce ?? context.world.getNonce(bytesFromHex(from));
  const call = { ...request, nonce };
  const { rules, block } = context;
  const fields = { chainId: rules.chainId, gas: gasLimit, baseFeePerGas: block.baseFeePerGas };
  const transaction = unsignedCall(call, fields);
  const isChecked = simulation.validation === true;
  const tracer = simulation.traceTransfers === true ? new TransferLogs() : undefined;
  const applied = await applyMessage(context, call, {
    gasLimit,
    checks: { paysBaseFee: isChecked, followsNonce: isChecked },
    hidesPrices: false,
    tracer,
  }).catch((error: unknown) => {
    throw rewordCallRejection(error, gasLimit);
  });
  const { outcome, gasUsed } = applied;
  return {
    transaction,
    applied,
    isGasCapped: gasLimit < asked,
    isSuccess: outcome.kind === 'success',
    gasUsed,
    logs: tracer?.logs ?? numberedLogs(outcome),
    logsMade: tracer?.made ?? outcome.logsMade ?? outcome.logs.length,
  };
}

function numberedLogs({ logs, logNumbers }: EngineOutcome): NumberedLog[] {
  return logs.map(({ address, topics, data }, at) => ({ address, topics, data, index: logNumbers?.[at] ?? at }));
}

/** Converts the result of a call to JSON. */
export function callToJson(
  { transaction, applied, isSuccess, isGasCapped, gasUsed, logs }: SimulatedCall,
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
    ...(outcome.kind === 'halt' && {
      error: { message: `${outcome.reason}${isGasCapped ? gasCapNote : ''}`, code: vmErrorCode },
    }),
  };
}
