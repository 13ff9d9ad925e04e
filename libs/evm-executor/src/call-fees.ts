import type { ForkRules } from '@cairn/evm';
import type { BlockEnvironment } from './block-environment.ts';
import type { CallRequest } from './call-request.ts';
import { CallRejectedError } from './errors.ts';

/** Gas prices of a call, as geth's `ToMessage` derives them, in wei. All zero for a call without prices. */
export interface CallFees {
  readonly gasPrice: bigint;
  readonly feeCap: bigint;
  readonly tipCap: bigint;
}

/** Derives the prices of a call that has passed {@link checkDefaults}. */
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
 * Performs the checks of geth's `CallDefaults`, which precede every access to the state.
 * @throws CALL_FEES_MIXED if the call has both `gasPrice` and fields of EIP-1559, CALL_CHAIN_ID_MISMATCH
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
