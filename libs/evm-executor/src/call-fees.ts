import type { BlockEnvironment } from './block-environment.ts';
import type { CallRequest } from './call-request.ts';
import { CallRejectedError } from './errors.ts';
import type { ForkRules } from './fork-rules.ts';

/** The price of gas of a call, as geth's `ToMessage` derives it. All zero where no price is given. */
export interface CallFees {
  readonly gasPrice: bigint;
  readonly feeCap: bigint;
  readonly tipCap: bigint;
}

/** `call` must have passed {@link checkDefaults}. */
export function callFees(
  { gasPrice, maxFeePerGas, maxPriorityFeePerGas }: CallRequest,
  { baseFeePerGas }: BlockEnvironment,
): CallFees {
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

/**
 * The checks of geth's `CallDefaults`, which come before any account is looked at.
 * @throws CALL_FEES_MIXED for fields of two generations in one call, CALL_CHAIN_ID_MISMATCH
 */
export function checkDefaults(call: CallRequest, { chainId }: ForkRules): void {
  const { gasPrice, maxFeePerGas, maxPriorityFeePerGas } = call;
  if (gasPrice !== undefined && (maxFeePerGas !== undefined || maxPriorityFeePerGas !== undefined)) {
    throw new CallRejectedError(
      'CALL_FEES_MIXED',
      'both gasPrice and (maxFeePerGas or maxPriorityFeePerGas) specified',
      'Keep one of the two.',
    );
  }
  if (call.chainId !== undefined && call.chainId !== chainId) {
    throw new CallRejectedError(
      'CALL_CHAIN_ID_MISMATCH',
      `chainId does not match node's (have=${call.chainId}, want=${chainId})`,
      'Leave call.chainId out, or ask another network.',
      { have: `${call.chainId}`, want: `${chainId}` },
    );
  }
}
