import {
  type AccessListEntry,
  bytesFromHex,
  type ChainSpec,
  type Header,
  type Hex,
  hexFromBytes,
  type StateReader,
} from '@cairn/block-model';
import { applyAuthorizations, delegationOf } from './authorizations.ts';
import { type BlockEnvironment, blockEnvironment } from './block-environment.ts';
import type { BlockOverrides, CallRequest, StateOverrides } from './call-request.ts';
import type { CallResult } from './call-result.ts';
import type { CallEngine, EngineOutcome } from './engine/call-engine.ts';
import { createEthereumjsEngine } from './engine/ethereumjs-engine.ts';
import type { ForkRules } from './fork-rules.ts';
import { decodeRevertReason, revertMessage } from './revert-reason.ts';
import { StateCache } from './state-cache.ts';
import { applyStateOverrides } from './state-overrides.ts';
import { callFees, checkCall } from './transaction-rules.ts';
import { WorldState } from './world-state.ts';

/** Limits of one call. */
export const callLimits = {
  gasCapMultiplier: 10, // Of the block gas limit: what the service promises its users.
} as const;

export interface ExecuteCallOptions {
  readonly spec: ChainSpec;
  /** The block whose environment the call sees. */
  readonly header: Header;
  /** The state after that block. The same object for the same block lets calls share what they read. */
  readonly state: StateReader;
  /** Hashes of ancestors of the block, for BLOCKHASH; see {@link ancestorHashes}. */
  readonly blockHashes: (number: bigint) => Hex | undefined;
  readonly call: CallRequest;
  readonly stateOverrides?: StateOverrides;
  readonly blockOverrides?: BlockOverrides;
  readonly limits?: { readonly gasCapMultiplier?: number };
  /** The interpreter of @ethereumjs/evm where absent. */
  readonly engine?: CallEngine;
}

const noAddress: Hex = `0x${'00'.repeat(20)}`;
const noCode = new Uint8Array(0);

/**
 * Runs a message on a block as eth_call does (execution-apis; geth's rules where those are silent) and changes nothing.
 * There is no limit of time in here: hostile code belongs into a pool, see `createCallPool`.
 *
 * @throws CALL_* where no node would start the call, OVERRIDE_INVALID, and what the state throws
 */
export async function executeCall(options: ExecuteCallOptions): Promise<CallResult> {
  const { spec, header, call } = options;
  const { block, rules } = blockEnvironment(spec, header, options.blockOverrides);
  const fees = callFees(call, block);
  const world = new WorldState(StateCache.of(options.state));
  const precompiles = applyStateOverrides(world, options.stateOverrides, rules.precompiles);

  const sender = call.from ?? noAddress;
  const from = bytesFromHex(sender);
  const to = call.to === undefined ? undefined : bytesFromHex(call.to);
  const data = call.data === undefined ? noCode : bytesFromHex(call.data);
  const gasLimit = cappedGas(call.gas, header.gasLimit, options.limits?.gasCapMultiplier);
  const balance = world.getBalance(from);
  const price = checkCall({ call, rules, block, fees, sender, balance, gasLimit, data });

  world.updateAccount(from, { nonce: world.getNonce(from) + 1n, balance: balance - price.upfront });
  const authorized = applyAuthorizations(world, rules.chainId, call.authorizationList ?? []);
  const delegation = to && delegationOf(world.getCode(to));

  const engine = options.engine ?? theEthereumjsEngine();
  const outcome = await engine.run({
    rules,
    block: visibleBlock(block, call, fees.gasPrice),
    world,
    blockHash: (number) => (number < header.number ? options.blockHashes(number) : undefined),
    sender: from,
    ...(to && { to }),
    value: call.value ?? 0n,
    data,
    gas: gasLimit - price.intrinsic,
    gasPrice: fees.gasPrice,
    blobVersionedHashes: call.blobVersionedHashes ?? [],
    warm: warmEntries(call, rules, block, sender, [
      ...authorized.warm,
      ...(delegation ? [hexFromBytes(delegation)] : []),
    ]),
    precompiles,
  });
  return resultOf(outcome, gasUsed(outcome, rules, price, authorized.refund));
}

let ethereumjsEngine: CallEngine | undefined;

function theEthereumjsEngine(): CallEngine {
  ethereumjsEngine ??= createEthereumjsEngine();
  return ethereumjsEngine;
}

function cappedGas(
  gas: bigint | undefined,
  blockGasLimit: bigint,
  multiplier: number = callLimits.gasCapMultiplier,
): bigint {
  const cap = blockGasLimit * BigInt(multiplier);
  return gas === undefined || gas > cap ? cap : gas;
}

/** A call without a price must not meet prices: what it does not pay reads as zero, as in geth. */
function visibleBlock(block: BlockEnvironment, call: CallRequest, gasPrice: bigint): BlockEnvironment {
  const hasNoGasPrice = gasPrice === 0n && block.baseFeePerGas !== undefined;
  const hasNoBlobPrice =
    block.blobBaseFee !== undefined &&
    (call.blobVersionedHashes !== undefined || call.maxFeePerBlobGas !== undefined) &&
    (call.maxFeePerBlobGas ?? 0n) === 0n;
  return {
    ...block,
    ...(hasNoGasPrice && { baseFeePerGas: 0n }),
    ...(hasNoBlobPrice && { blobBaseFee: 0n }),
  };
}

/** What is warm from the start: EIP-2929, EIP-2930, EIP-3651 and EIP-7702. */
function warmEntries(
  call: CallRequest,
  rules: ForkRules,
  block: BlockEnvironment,
  sender: Hex,
  others: readonly Hex[],
): AccessListEntry[] {
  if (!rules.isBerlin) return [];
  const addresses = [sender, ...rules.precompiles, ...others];
  if (call.to !== undefined) addresses.push(call.to);
  if (rules.isShanghai) addresses.push(block.coinbase);
  return [...addresses.map((address) => ({ address, storageKeys: [] })), ...(call.accessList ?? [])];
}

/** What a transaction would be charged: EIP-3529 bounds the refund, EIP-7623 the whole from below. */
function gasUsed(
  outcome: EngineOutcome,
  rules: ForkRules,
  { intrinsic, floor }: { readonly intrinsic: bigint; readonly floor: bigint },
  authorizationRefund: bigint,
): bigint {
  const used = intrinsic + outcome.gasUsed;
  const refundMax = used / (rules.isLondon ? 5n : 2n);
  const refund = outcome.gasRefund + authorizationRefund;
  const charged = used - (refund < refundMax ? refund : refundMax);
  return charged > floor ? charged : floor;
}

function resultOf({ kind, output, reason }: EngineOutcome, used: bigint): CallResult {
  if (kind === 'success') return { kind, output: hexFromBytes(output), gasUsed: used };
  if (kind === 'halt') return { kind, reason: reason ?? 'execution failed', gasUsed: used };
  const why = decodeRevertReason(output);
  return {
    kind,
    data: hexFromBytes(output),
    message: revertMessage(output),
    ...(why !== undefined && { reason: why }),
    gasUsed: used,
  };
}
