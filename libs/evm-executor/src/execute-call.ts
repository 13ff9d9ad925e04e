import { type ChainSpec, type Header, type Hex, hexFromBytes, type StateReader } from '@cairn/block-model';
import { type AppliedMessage, applyMessage, type MessageContext } from './apply-message.ts';
import { blockEnvironment } from './block-environment.ts';
import type { BlockOverrides, CallRequest, StateOverrides } from './call-request.ts';
import type { CallResult } from './call-result.ts';
import { ContractGuard } from './contract-guard.ts';
import type { CallEngine, Deadline, PrecompileChanges } from './engine/call-engine.ts';
import { createEngine } from './engine/create-engine.ts';
import type { ForkRules } from './fork-rules.ts';
import { decodeRevertReason, revertMessage } from './revert-reason.ts';
import { rewordedCall } from './reworded.ts';
import { StateCache } from './state-cache.ts';
import { applyStateOverrides, noPrecompileChanges } from './state-overrides.ts';
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
  /** Hashes of ancestors of the block, for BLOCKHASH. */
  readonly blockHashes: (number: bigint) => Hex | undefined;
  readonly call: CallRequest;
  readonly stateOverrides?: StateOverrides | undefined;
  readonly blockOverrides?: BlockOverrides | undefined;
  readonly limits?: {
    readonly gasCapMultiplier?: number;
    /** Gas after which the call may be given up with {@link GasBudgetExceeded}. Default: none. */
    readonly gasBudget?: number | undefined;
    /** When the call is given up with EXECUTION_TIMEOUT, unless its engine is that of @ethereumjs. Default: never. */
    readonly deadline?: Deadline | undefined;
  };
  /** {@link createEngine} where absent. */
  readonly engine?: CallEngine;
  /** The only contracts that the message may read, as the sender too; see {@link ContractGuard}. Default: all. */
  readonly contracts?: readonly Hex[] | undefined;
}

/**
 * Runs a message on a block as eth_call does (execution-apis; geth's rules where those are silent) and changes nothing.
 * A deadline is looked at between blocks of code, and a single precompile may take long: hostile code belongs into a pool, see
 * `createCallPool`.
 *
 * @throws CALL_* where no node would start the call, OVERRIDE_INVALID, CONTRACT_NOT_ALLOWED, GasBudgetExceeded where `limits` have a budget,
 *   EXECUTION_TIMEOUT where they have a deadline, and what the state throws
 */
export async function executeCall(options: ExecuteCallOptions): Promise<CallResult> {
  const { call, limits } = options;
  const gasLimit = cappedGas(call.gas, options);
  const context = callContext(options);
  try {
    return callResult(await applyMessage(context, call, { gasLimit, budget: limits?.gasBudget }));
  } catch (error) {
    throw rewordedCall(error, gasLimit);
  } finally {
    context.world.end();
  }
}

/** Where geth's methods treat overrides in different ways. */
export interface ContextOptions {
  /** Default: a new one over the state. */
  readonly world?: WorldState;
  /** Overrides of precompiles replace and move them, rather than change an account that no code sees. Default true. */
  readonly movesPrecompiles?: boolean;
  /** Overrides can name the move of a precompile. Default true. */
  readonly findsPrecompiles?: boolean;
  /** See {@link blockEnvironment}. Default false. */
  readonly isMergedByDifficulty?: boolean;
}

/** The block and the state that a call sees, with its overrides; fresh for every message. @throws OVERRIDE_INVALID */
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

/** The engine of those that name none. */
export function defaultEngine(): CallEngine {
  sharedEngine ??= createEngine();
  return sharedEngine;
}

/** The gas a call gets: what it asks for, up to the cap. */
export function cappedGas(
  gas: bigint | undefined,
  { header, limits }: Pick<ExecuteCallOptions, 'header' | 'limits'>,
): bigint {
  const cap = header.gasLimit * BigInt(limits?.gasCapMultiplier ?? callLimits.gasCapMultiplier);
  return gas === undefined || gas > cap ? cap : gas;
}

/** What an eth_call tells of what a message came to. */
export function callResult({ outcome: { kind, output, reason }, gasUsed }: AppliedMessage): CallResult {
  if (kind === 'success') return { kind, output: hexFromBytes(output), gasUsed };
  if (kind === 'halt') return { kind, reason: reason ?? 'execution failed', gasUsed };
  const why = decodeRevertReason(output);
  return {
    kind,
    data: hexFromBytes(output),
    message: revertMessage(output),
    ...(why !== undefined && { reason: why }),
    gasUsed,
  };
}
