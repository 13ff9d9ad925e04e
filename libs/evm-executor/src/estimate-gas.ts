import { bytesFromHex } from '@cairn/block-model';
import { isCairnError } from '@cairn/errors';
import { checkDeadline, forkRules, zeroAddress } from '@cairn/evm';
import { type AppliedMessage, applyMessage } from './apply-message.ts';
import { callFees, checkDefaults } from './call-fees.ts';
import type { CallHalt, CallRevert } from './call-result.ts';
import { CallRejectedError } from './errors.ts';
import { callContext, callResult, cappedGas, type ExecuteCallOptions } from './execute-call.ts';
import { gasPerBlob, transactionGas, transactionGasMax } from './message-gas.ts';
import { rewordRejection } from './reword-rejection.ts';

/** Gas limit with which a message succeeds: at most 1.5 % above the minimum. */
export interface GasEstimate {
  readonly kind: 'estimate';
  readonly gas: bigint;
  /** Sum over all attempts. */
  readonly gasUsed: bigint;
}

const callStipend = 2_300n;
/** Relative width of the interval at which the search ends (geth's value). Wallets add a larger margin. */
const errorRatio = 0.015;
const uint64Max = 2n ** 64n - 1n;

/**
 * Estimates gas as geth does: one attempt with the highest limit, then a binary search between the gas that it used and the
 * lowest limit known to succeed.
 * @throws CALL_* if a node would refuse the call, OVERRIDE_INVALID, and the errors of the state
 */
export async function estimateGas(options: ExecuteCallOptions): Promise<GasEstimate | CallRevert | CallHalt> {
  const { call } = options;
  let gasUsed = 0n;
  const attempt = async (gasLimit: bigint) => {
    const applied = await tryWith(options, gasLimit);
    gasUsed += applied?.gasUsed ?? 0n;
    return applied;
  };
  const most = highestGas(options);
  if ((call.data ?? '0x') === '0x' && call.to !== undefined) {
    const isPlain = estimateContext(options).world.getCode(bytesFromHex(call.to)).length === 0;
    if (isPlain && (await succeeds(attempt(transactionGas)))) return { kind: 'estimate', gas: transactionGas, gasUsed };
  }
  const first = await attempt(most);
  if (first === undefined || first.outcome.kind !== 'success') {
    // The reason may continue after a colon with the part of the price that exceeded the gas.
    const isOutOfGas = first === undefined || /^out of gas(:|$)/.test(first.outcome.reason ?? '');
    const reason = `gas required exceeds allowance (${most})`;
    if (isOutOfGas) return { kind: 'halt', reason, gasUsed: first?.gasUsed ?? 0n };
    return callResult(first) as CallRevert | CallHalt;
  }
  let [low, high] = [first.gasUsed - 1n, most];
  // Gas before refunds, the stipend, and the 64th that each call withholds (EIP-150) usually suffice.
  const likely = ((first.gasUsedMax + callStipend) * 64n) / 63n;
  if (likely < high) {
    if (succeeded(await attempt(likely))) high = likely;
    else low = likely;
  }
  while (low + 1n < high) {
    if (Number(high - low) / Number(high) < errorRatio) break;
    const half = low + (high - low) / 2n;
    // Most messages need little more gas than they use: skew the search downwards.
    const middle = half > low * 2n ? low * 2n : half;
    if (succeeded(await attempt(middle))) high = middle;
    else low = middle;
  }
  return { kind: 'estimate', gas: high, gasUsed };
}

/** Reports whether an attempt with the minimum gas succeeds. A refusal is reported by the attempt with the highest limit. */
async function succeeds(attempt: Promise<AppliedMessage | undefined>): Promise<boolean> {
  try {
    return succeeded(await attempt);
  } catch (error) {
    if (error instanceof CallRejectedError) return false;
    throw error;
  }
}

function succeeded(applied: AppliedMessage | undefined): boolean {
  return applied?.outcome.kind === 'success';
}

/** Executes the message with a gas limit; `undefined` if the limit is below the intrinsic gas. */
async function tryWith(options: ExecuteCallOptions, gasLimit: bigint): Promise<AppliedMessage | undefined> {
  const context = estimateContext(options);
  try {
    checkDeadline(context.deadline);
    return await applyMessage(context, options.call, { gasLimit });
  } catch (error) {
    if (isCairnError(error, 'CALL_GAS_TOO_LOW')) return undefined;
    throw rewordRejection(error, (message) => `failed with ${gasLimit} gas: ${message}`);
  } finally {
    context.world.release();
  }
}

/**
 * Creates block and state for an attempt. Unlike eth_call, geth does not move precompiles here, and the overridden difficulty
 * decides whether the block is after the merge.
 */
function estimateContext(options: ExecuteCallOptions) {
  return callContext(options, { movesPrecompiles: false, isMergedByDifficulty: true });
}

/** Highest gas limit that the message's own limit, the block, the fork, the sender's funds and the cap allow. */
function highestGas(options: ExecuteCallOptions): bigint {
  const { call } = options;
  const { block, rules, world } = estimateContext(options);
  checkDefaults(call, rules);
  const asked = call.gas === undefined ? 0n : cappedGas(call.gas, options);
  let most = asked >= transactionGas ? asked : block.gasLimit;
  // Like geth: the cap of EIP-7825 depends on number and time only.
  const { number, timestamp } = block;
  const { isOsaka } = forkRules(options.spec, { number, timestamp, isMerged: true });
  if (isOsaka && most > transactionGasMax) most = transactionGasMax;
  const { feeCap } = callFees(call, block);
  if (feeCap > 0n) {
    const value = call.value ?? 0n;
    let available = world.getBalance(bytesFromHex(call.from ?? zeroAddress));
    if (value >= available) throw fundsInsufficient('insufficient funds for transfer');
    available -= value;
    const blobs = rules.isCancun ? BigInt(call.blobVersionedHashes?.length ?? 0) : 0n;
    if (blobs > 0n) {
      const forBlobs = BigInt.asUintN(256, blobs * gasPerBlob * (call.maxFeePerBlobGas ?? 0n));
      if (forBlobs >= available) throw fundsInsufficient('insufficient funds for gas * price + value');
      available -= forBlobs;
    }
    const affordable = available / feeCap;
    if (affordable <= uint64Max && affordable < most) most = affordable;
  }
  return cappedGas(most, options);
}

function fundsInsufficient(message: string): CallRejectedError {
  const hint = 'Lower call.value or the fees, or override the balance of the sender.';
  return new CallRejectedError('CALL_FUNDS_INSUFFICIENT', message, hint);
}
