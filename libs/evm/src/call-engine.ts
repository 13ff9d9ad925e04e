import type { AccessListEntry, Hex, Log } from '@cairn/block-model';
import type { Awaitable } from './awaitable.ts';
import type { BlockEnvironment } from './block-environment.ts';
import type { EngineTracer } from './engine-tracer.ts';
import { ExecutionTimeoutError } from './errors.ts';
import type { ForkRules } from './forks/fork-rules.ts';
import type { WorldState } from './state/world-state.ts';

/** One message to run. Addresses are 20 bytes. */
export interface EngineMessage {
  readonly rules: ForkRules;
  readonly block: BlockEnvironment;
  readonly world: WorldState;
  /** Hashes for BLOCKHASH. Engines ask only for the 256 blocks before `block.number`. */
  readonly blockHash: (number: bigint) => Hex | undefined;
  /** ORIGIN and caller. Its nonce is increased already, as in a transaction. */
  readonly sender: Uint8Array;
  /** Absent for a creation. */
  readonly to?: Uint8Array | undefined;
  readonly value: bigint;
  readonly data: Uint8Array;
  /** Gas for the code, without the intrinsic gas. */
  readonly gas: bigint;
  readonly gasPrice: bigint;
  readonly blobVersionedHashes: readonly Hex[];
  /** Addresses and slots that are warm from the start (EIP-2929), in addition to the precompiles. Empty before Berlin. */
  readonly warm: readonly AccessListEntry[];
  /** Precompiles that are moved or removed for this message. */
  readonly precompiles: PrecompileChanges;
  /**
   * Gas after which the run ends with {@link GasBudgetExceeded}, for threads that others wait for. A precompile that takes longer
   * than its price suggests ends the run immediately.
   */
  readonly budget?: number | undefined;
  /** Time after which the run ends with EXECUTION_TIMEOUT. An engine may ignore it, so callers need another way to stop a run. */
  readonly deadline?: Deadline | undefined;
  /** Receives every step and frame. Tracing takes an order of magnitude longer. */
  readonly tracer?: EngineTracer | undefined;
}

/** A time limit. */
export interface Deadline {
  /** Milliseconds on the clock of `performance.now()` in the running thread. */
  readonly at: number;
  /** Length of the limit, for the error. */
  readonly timeoutMs: number;
  /**
   * Gas between two checks of the clock. Default 200,000: that much gas takes tens of milliseconds in calls, the slowest
   * opcodes for their gas.
   */
  readonly gasBetween?: number;
  /** Called at each check of the clock. True ends the run, since its caller has disconnected. */
  readonly isStopped?: () => boolean;
}

/** Ends a run after its deadline. @throws EXECUTION_TIMEOUT */
export function checkDeadline(deadline: Deadline | undefined): void {
  if (deadline === undefined) return;
  if (performance.now() > deadline.at || deadline.isStopped?.() === true)
    throw new ExecutionTimeoutError(deadline.timeoutMs);
}

/** Moved and removed precompiles. */
export interface PrecompileChanges {
  /** Addresses that are ordinary accounts. */
  readonly removed: ReadonlySet<Hex>;
  /** New address of a precompile, and its original address. */
  readonly moved: ReadonlyMap<Hex, Hex>;
}

/**
 * Result of a message. Changes stay in the world if it succeeded, and are reverted otherwise. Exception: in Frontier a creation
 * that cannot pay for its code halts, and its changes stay (EIP-2).
 */
export interface EngineOutcome {
  readonly kind: 'success' | 'revert' | 'halt';
  /** Return data; for a creation, the deployed code. */
  readonly output: Uint8Array;
  /** Part of `gas` that was used, before refunds. */
  readonly gasUsed: bigint;
  /** Refund counter (EIP-3529), before its bound; 0 if changes are reverted. */
  readonly gasRefund: bigint;
  /** Reason of a halt: geth's message. */
  readonly reason?: string;
  /** Logs in order; empty if changes are reverted. */
  readonly logs: readonly Log[];
  /** Index of each log among all logs, including reverted ones; absent if the engine does not count. */
  readonly logNumbers?: readonly number[];
  /** Number of logs, including reverted ones; absent if the engine does not count. */
  readonly logsMade?: number;
  /** Accounts that SELFDESTRUCT removes at the end of the transaction (EIP-6780). */
  readonly destroyed: readonly Uint8Array[];
  /** Accounts to remove at the end of the transaction if they are empty (EIP-161). */
  readonly touched: readonly Uint8Array[];
}

/**
 * Runs messages. Fees, intrinsic gas, nonces and overrides are applied before.
 */
export interface CallEngine {
  readonly name: string;
  /** Runs a message. Concurrent runs must not affect each other. Returns or throws without a promise where it can. */
  run(message: EngineMessage): Awaitable<EngineOutcome>;
}
