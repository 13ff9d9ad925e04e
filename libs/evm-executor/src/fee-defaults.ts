import type { Header } from '@cairn/block-model';
import type { ForkRules } from '@cairn/evm';
import type { BlockEnvironment } from './block-environment.ts';
import type { CallRequest } from './call-request.ts';
import { CallRejectedError, type CallRejectionCode } from './errors.ts';

export interface FeeDefaults {
  readonly header: Header;
  readonly rules: ForkRules;
  readonly block: BlockEnvironment;
  /** Tip in wei per gas that is suggested to senders. */
  readonly tip: bigint;
}

/**
 * Fills in the fees that a wallet would set (geth's `setFeeDefaults`): the suggested tip, and a maximum of that tip plus twice
 * the base fee.
 * @throws CALL_FEE_INVALID, CALL_FEES_MIXED
 */
export function withFeeDefaults(call: CallRequest, { header, rules, block, tip }: FeeDefaults): CallRequest {
  const { gasPrice, maxFeePerGas, maxPriorityFeePerGas, blobVersionedHashes, maxFeePerBlobGas } = call;
  if (maxFeePerBlobGas === 0n)
    throw refused('CALL_FEE_INVALID', 'maxFeePerBlobGas, if specified, must be non-zero', 'Leave it out, or raise it.');
  const blobFee =
    rules.isCancun && blobVersionedHashes !== undefined && maxFeePerBlobGas === undefined
      ? { maxFeePerBlobGas: 2n * (block.blobBaseFee ?? 0n) }
      : {};
  if (gasPrice !== undefined) {
    checkGasPrice(call, rules);
    return { ...call, ...blobFee };
  }
  if (maxFeePerGas !== undefined && maxPriorityFeePerGas !== undefined) {
    if (maxFeePerGas === 0n)
      throw refused('CALL_FEE_INVALID', 'maxFeePerGas must be non-zero', 'Leave the fees out, or raise it.');
    checkTip(maxFeePerGas, maxPriorityFeePerGas);
    return { ...call, ...blobFee };
  }
  if (!rules.isLondon) {
    if (maxFeePerGas === undefined && maxPriorityFeePerGas === undefined) return { ...call, ...blobFee, gasPrice: tip };
    throw refused(
      'CALL_FEE_INVALID',
      'maxFeePerGas and maxPriorityFeePerGas are not valid before London is active',
      'Give call.gasPrice instead.',
    );
  }
  const priorityFee = maxPriorityFeePerGas ?? tip;
  const feeMax = maxFeePerGas ?? priorityFee + 2n * (header.baseFeePerGas ?? 0n);
  checkTip(feeMax, priorityFee);
  return { ...call, ...blobFee, maxFeePerGas: feeMax, maxPriorityFeePerGas: priorityFee };
}

function checkGasPrice(call: CallRequest, rules: ForkRules): void {
  const { gasPrice, maxFeePerGas, maxPriorityFeePerGas, authorizationList } = call;
  if (maxFeePerGas !== undefined || maxPriorityFeePerGas !== undefined) {
    const message = 'both gasPrice and (maxFeePerGas or maxPriorityFeePerGas) specified';
    throw refused('CALL_FEES_MIXED', message, 'Keep one of the two.');
  }
  if (authorizationList !== undefined)
    throw refused(
      'CALL_FEES_MIXED',
      'both gasPrice and authorizationList specified',
      'Give call.maxFeePerGas instead.',
    );
  if (gasPrice === 0n && rules.isLondon) {
    const hint = 'Leave call.gasPrice out, or raise it.';
    throw refused('CALL_FEE_INVALID', 'gasPrice must be non-zero after london fork', hint);
  }
}

function checkTip(feeMax: bigint, tip: bigint): void {
  if (feeMax >= tip) return;
  const quantity = (value: bigint) => `0x${value.toString(16)}`;
  throw refused(
    'CALL_FEE_INVALID',
    `maxFeePerGas (${quantity(feeMax)}) < maxPriorityFeePerGas (${quantity(tip)})`,
    'Raise call.maxFeePerGas.',
  );
}

function refused(code: CallRejectionCode, message: string, hint: string): CallRejectedError {
  return new CallRejectedError(code, message, hint);
}
