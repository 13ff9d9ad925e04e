import type { AccessListEntry, Hex, Log } from '@cairn/block-model';
import type { BlockEnvironment } from './block-environment.ts';
import type { EngineTracer } from './engine-tracer.ts';
import { ExecutionTimeoutError } from './errors.ts';
import type { ForkRules } from './forks/fork-rules.ts';
import type { WorldState } from './state/world-state.ts';

/** One message for an engine. Addresses are 20 bytes. */
export interface EngineMessage {
  readonly rules: ForkRules;
  readonly block: BlockEnvironment;
  readonly world: WorldState;
  /** For BLOCKHASH; the engine asks for the 256 blocks before `block.number` only. */
  readonly blockHash: (number: bigint) => Hex | undefined;
  /** Both ORIGIN and the caller. Its nonce is that of after the message, as in a transaction. */
  readonly sender: Uint8Array;
  /** Absent: create a contract. */
  readonly to?: Uint8Array | undefined;
  readonly value: bigint;
  readonly data: Uint8Array;
  /** What is left for the code: intrinsic gas is taken off. */
  readonly gas: bigint;
  readonly gasPrice: bigint;
  readonly blobVersionedHashes: readonly Hex[];
  /** Warm from the start (EIP-2929), beside the precompiles of the rules; empty before Berlin. */
  readonly warm: readonly AccessListEntry[];
  /** Precompiles that are elsewhere or nowhere in this call. */
  readonly precompiles: PrecompileChanges;
  /**
   * Gas after which the run may be given up, with {@link GasBudgetExceeded}: where it would hold up others. What takes
   * longer than its price says is given up at once.
   */
  readonly budget?: number | undefined;
  /** When it is to be given up, soon after, with EXECUTION_TIMEOUT. An engine may not look at it: who runs it needs a way to end it. */
  readonly deadline?: Deadline | undefined;
  /** Told of every step and frame; makes the run slower by an order of magnitude. */
  readonly tracer?: EngineTracer | undefined;
}

/** A limit of time. */
export interface Deadline {
  /** On the clock of `performance.now()` in the thread that runs it, in milliseconds. */
  readonly at: number;
  /** What the limit was, for who is told that it has passed. */
  readonly timeoutMs: number;
  /** Gas between two looks at the clock. Default 200,000: what takes the interpreter longest for its gas, calls, takes some tens of milliseconds then. */
  readonly gasBetween?: number;
  /** Asked with each look at the clock: the run is to end now, since its caller is gone. */
  readonly isStopped?: () => boolean;
}

/** Ends a run whose time is over. @throws EXECUTION_TIMEOUT */
export function checkDeadline(deadline: Deadline | undefined): void {
  if (deadline === undefined) return;
  if (performance.now() > deadline.at || deadline.isStopped?.() === true)
    throw new ExecutionTimeoutError(deadline.timeoutMs);
}

/** Where precompiles answer instead. */
export interface PrecompileChanges {
  /** Addresses that are ordinary accounts now. */
  readonly removed: ReadonlySet<Hex>;
  /** The precompile that answers at an address, by that address. */
  readonly moved: ReadonlyMap<Hex, Hex>;
}

/**
 * How a message ended. Its changes are in the world where it succeeded, and taken back where not; except that in Frontier
 * a creation that could not pay its code halted and all that it did stayed (EIP-2).
 */
export interface EngineOutcome {
  readonly kind: 'success' | 'revert' | 'halt';
  /** Of a creation: the code to deploy. */
  readonly output: Uint8Array;
  /** Of `gas`, before refunds. */
  readonly gasUsed: bigint;
  /** Refund counter (EIP-3529), before its bound; 0 unless its changes stay. */
  readonly gasRefund: bigint;
  /** Of a halt, in geth's words. */
  readonly reason?: string;
  /** In the order in which they were made; none unless its changes stay. */
  readonly logs: readonly Log[];
  /** The number of each log among all that were made, undone ones included; absent where the engine does not count. */
  readonly logNumbers?: readonly number[];
  /** How many logs were made, undone ones included; absent where the engine does not count. */
  readonly logsMade?: number;
  /** Accounts to remove when the transaction ends (EIP-6780): their code destroyed itself. */
  readonly destroyed: readonly Uint8Array[];
  /** Accounts to remove when the transaction ends if they are empty (EIP-161). */
  readonly touched: readonly Uint8Array[];
}

/**
 * What runs code. An engine knows nothing of transactions: fees, intrinsic gas, nonces and overrides are done before
 * it is asked.
 */
export interface CallEngine {
  readonly name: string;
  /** May be called again before it has answered; the calls must not see each other. */
  run(message: EngineMessage): Promise<EngineOutcome>;
}
