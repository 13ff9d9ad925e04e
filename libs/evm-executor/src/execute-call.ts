import { type ChainSpec, type Header, type Hex, hexFromBytes, type StateReader } from '@cairn/block-model';
import type { Awaitable, CallEngine, Deadline, ForkRules, PrecompileChanges } from '@cairn/evm';
import { ContractGuard, StateCache, WorldState } from '@cairn/evm';
import { type AppliedMessage, applyMessageNow, type MessageContext } from './apply-message.ts';
import { blockEnvironment } from './block-environment.ts';
import type { BlockOverrides, CallRequest, StateOverrides } from './call-request.ts';
import type { CallResult } from './call-result.ts';
import { createEngine } from './engine/create-engine.ts';
import { decodeRevertReason, revertMessage } from './revert-reason.ts';
import { rewordCallRejection } from './reword-rejection.ts';
import { applyStateOverrides, noPrecompileChanges } from './state-overrides.ts';

/** Limits of one call. */
export const callLimits = {
  gasCapMultiplier: 10, // Times the block gas limit; documented as a limit of the service.
} as const;

export interface ExecuteCallOptions {
  readonly spec: ChainSpec;
  /** Block whose environment the call sees. */
  readonly header: Header;
  /** State after that block. Calls that pass the same object share a cache of what they read. */
  readonly state: StateReader;
  /** Hashes of ancestors of the block, for BLOCKHASH. */
  readonly blockHashes: (number: bigint) => Hex | undefined;
  readonly call: CallRequest;
  readonly stateOverrides?: StateOverrides | undefined;
  readonly blockOverrides?: BlockOverrides | undefined;
  readonly limits?: {
    readonly gasCapMultiplier?: number;
    /** Gas after which the engine may stop the call with {@link GasBudgetExceeded}. Default: unlimited. */
    readonly gasBudget?: number | undefined;
    /** Time at which the call ends with EXECUTION_TIMEOUT. The engine of `@ethereumjs/evm` ignores it. Default: never. */
    readonly deadline?: Deadline | undefined;
  };
  /** Default: one shared {@link createEngine}. */
  readonly engine?: CallEngine;
  /** The only contracts that the message may read, the sender included; see {@link ContractGuard}. Default: all contracts. */
  readonly contracts?: readonly Hex[] | undefined;
}

/**
 * Executes a message on the state after a block, as eth_call does, and discards all writes. Follows execution-apis, and geth where
 * that specification is silent.
 *
 * The deadline is checked between basic blocks of code, and a single precompile may run long. Run untrusted code in a worker:
 * see `createCallPool`.
 *
 * @throws CALL_* if a node would refuse the call, OVERRIDE_INVALID, CONTRACT_NOT_ALLOWED, GasBudgetExceeded with a budget,
 *   EXECUTION_TIMEOUT with a deadline, and the errors of `state`
 */
export async function executeCall(options: ExecuteCallOptions): Promise<CallResult> {
  return executeCallOn(options);
}

/** Same as {@link executeCall}, on a given world, and without a promise where the engine returns none. */
export function executeCallOn(options: ExecuteCallOptions, given?: WorldState): Awaitable<CallResult> {
  const { call, limits } = options;
  const gasLimit = cappedGas(call.gas, options);
  const context = given === undefined ? callContext(options) : callContext(options, { world: given });
  const { world } = context;
  const fail = (error: unknown): never => {
    world.release();
    throw rewordCallRejection(error, gasLimit);
  };
  try {
    const applied = applyMessageNow(context, call, { gasLimit, budget: limits?.gasBudget });
    if (applied instanceof Promise) return applied.then((later) => released(world, later)).catch(fail);
    return released(world, applied);
  } catch (error) {
    return fail(error);
  }
}

function released(world: WorldState, applied: AppliedMessage): CallResult {
  const result = callResult(applied);
  world.release();
  return result;
}

/** Differences between geth's methods in how they apply overrides. */
export interface ContextOptions {
  /** Default: a new world over `state`. */
  readonly world?: WorldState;
  /**
   * An override of a precompile replaces or moves it. If false, it changes only the account at its address, which code
   * cannot access. Default true.
   */
  readonly movesPrecompiles?: boolean;
  /** Overrides recognize precompiles. If false, `movePrecompileToAddress` is refused for every address. Default true. */
  readonly findsPrecompiles?: boolean;
  /** See {@link blockEnvironment}. Default false. */
  readonly isMergedByDifficulty?: boolean;
}

/** Creates the block and the state that one message sees, with its overrides applied. @throws OVERRIDE_INVALID */
export function callContext(options: ExecuteCallOptions, own: ContextOptions = {}): MessageContext {
  const { spec, header } = options;
  const { block, rules } = blockEnvironment(spec, header, options.blockOverrides, own.isMergedByDifficulty);
  const world = own.world ?? new WorldState(StateCache.of(options.state));
  if (options.contracts !== undefined) world.guard = new ContractGuard(options.contracts);
  return {
    rules,
    block,
    world,
    engine: options.engine ?? defaultEngine(),
    blockHash: (number) => {
      if (number < header.number) return options.blockHashes(number);
      return number === header.number ? options.blockOverrides?.parentHash : undefined;
    },
    precompiles: overridden(world, options.stateOverrides, rules, own),
    deadline: options.limits?.deadline,
  };
}

function overridden(
  world: WorldState,
  overrides: StateOverrides | undefined,
  rules: ForkRules,
  own: ContextOptions,
): PrecompileChanges {
  const changes = applyStateOverrides(world, overrides, own.findsPrecompiles === false ? [] : rules.precompiles);
  return own.movesPrecompiles !== false ? changes : noPrecompileChanges;
}

let sharedEngine: CallEngine | undefined;

/** Returns the engine for calls that name none. It is created once. */
export function defaultEngine(): CallEngine {
  sharedEngine ??= createEngine();
  return sharedEngine;
}

/** Gas limit of a call: its own limit or the cap, whichever is lower. */
export function cappedGas(
  gas: bigint | undefined,
  { header, limits }: Pick<ExecuteCallOptions, 'header' | 'limits'>,
): bigint {
  const cap = header.gasLimit * BigInt(limits?.gasCapMultiplier ?? callLimits.gasCapMultiplier);
  return gas === undefined || gas > cap ? cap : gas;
}

/** Converts the outcome of a message to the result of eth_call. */
export function callResult({ outcome: { kind, output, reason }, gasUsed }: AppliedMessage): CallResult {
  if (kind === 'success') return { kind, output: hexFromBytes(output), gasUsed };
  if (kind === 'halt') return { kind, reason: reason ?? 'execution failed', gasUsed };
  const revertReason = decodeRevertReason(output);
  return {
    kind,
    data: hexFromBytes(output),
    message: revertMessage(output),
    ...(revertReason !== undefined && { reason: revertReason }),
    gasUsed,
  };
}
