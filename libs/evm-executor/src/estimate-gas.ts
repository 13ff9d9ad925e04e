import { bytesFromHex } from '@cairn/block-model';
import { isCairnError } from '@cairn/errors';
import { type AppliedMessage, applyMessage, noAddress } from './apply-message.ts';
import type { CallHalt, CallRevert } from './call-result.ts';
import { CallRejectedError } from './errors.ts';
import { callContext, callResult, cappedGas, type ExecuteCallOptions } from './execute-call.ts';
import { callFees, gasPerBlob, transactionGasMax } from './transaction-rules.ts';

/** The least gas that a message succeeds with, nearly: at most 1.5 % above it. */
export interface GasEstimate {
  readonly kind: 'estimate';
  readonly gas: bigint;
}

const transferGas = 21_000n;
const callStipend = 2_300n;
/** The search ends when it is that close: wallets add more than this themselves. */
const errorRatio = 0.015;

/**
 * Estimates gas as geth does: one run with all that may be spent, then a search between what that run used and what is
 * known to be enough.
 * @throws CALL_* where no node would start the call, OVERRIDE_INVALID, and what the state throws
 */
export async function estimateGas(options: ExecuteCallOptions): Promise<GasEstimate | CallRevert | CallHalt> {
  const { call } = options;
  const attempt = (gasLimit: bigint) => tryWith(options, gasLimit);
  const most = highestGas(options);
  if ((call.data ?? '0x') === '0x' && call.to !== undefined) {
    const isPlain = callContext(options).world.getCode(bytesFromHex(call.to)).length === 0;
    if (isPlain && succeeded(await attempt(transferGas))) return { kind: 'estimate', gas: transferGas };
  }
  const first = await attempt(most);
  if (first === undefined || first.outcome.kind !== 'success') {
    const isOutOfGas = first === undefined || first.outcome.reason === 'out of gas';
    const reason = `gas required exceeds allowance (${most})`;
    if (isOutOfGas) return { kind: 'halt', reason, gasUsed: first?.gasUsed ?? 0n };
    return callResult(first) as CallRevert | CallHalt;
  }
  let [low, high] = [first.gasUsed - 1n, most];
  // What was in use before refunds, and the 64th that every call holds back, are likely enough.
  const likely = ((first.gasUsedMax + callStipend) * 64n) / 63n;
  if (likely < high) {
    if (succeeded(await attempt(likely))) high = likely;
    else low = likely;
  }
  while (low + 1n < high) {
    if (Number(high - low) / Number(high) < errorRatio) break;
    const half = low + (high - low) / 2n;
    // Most messages need little more than they use.
    const middle = half > low * 2n ? low * 2n : half;
    if (succeeded(await attempt(middle))) high = middle;
    else low = middle;
  }
  return { kind: 'estimate', gas: high };
}

function succeeded(applied: AppliedMessage | undefined): boolean {
  return applied?.outcome.kind === 'success';
}

/** `undefined` where so little gas does not even start the message. */
async function tryWith(options: ExecuteCallOptions, gasLimit: bigint): Promise<AppliedMessage | undefined> {
  try {
    return await applyMessage(callContext(options), options.call, { gasLimit, deadline: options.limits?.deadline });
  } catch (error) {
    if (isCairnError(error, 'CALL_GAS_TOO_LOW')) return undefined;
    throw error;
  }
}

/** The most that the message may be given: by its own limit, the block, the fork, the funds of its sender, and the cap. */
function highestGas(options: ExecuteCallOptions): bigint {
  const { call, header } = options;
  const { block, rules, world } = callContext(options);
  let most = call.gas !== undefined && call.gas >= transferGas ? call.gas : header.gasLimit;
  if (rules.isOsaka && most > transactionGasMax) most = transactionGasMax;
  const { feeCap } = callFees(call, block);
  if (feeCap > 0n) {
    const blobs = rules.isCancun ? BigInt(call.blobVersionedHashes?.length ?? 0) : 0n;
    const value = call.value ?? 0n;
    const available = world.getBalance(bytesFromHex(call.from ?? noAddress)) - value;
    const forGas = available - blobs * gasPerBlob * (call.maxFeePerBlobGas ?? 0n);
    if (forGas <= 0n && (value > 0n || blobs > 0n)) {
      throw new CallRejectedError(
        'CALL_FUNDS_INSUFFICIENT',
        blobs > 0n && available > 0n ? 'insufficient funds for gas * price + value' : 'insufficient funds for transfer',
        'Lower call.value or the fees, or override the balance of the sender.',
      );
    }
    const affordable = forGas / feeCap;
    if (affordable < most) most = affordable;
  }
  return cappedGas(most, options);
}
