import type { Log } from '@cairn/block-model';
import type { WorldState } from './state/world-state.ts';

/** What an engine is about to do. The object and what it holds are of that moment only. */
export interface EngineStep {
  readonly pc: number;
  readonly opcode: number;
  /** As geth names it. */
  readonly name: string;
  /** What is left before the step. */
  readonly gas: bigint;
  /** Price of the step, with the gas of the frame that it opens (EIP-150). After an error: the part known by then. */
  readonly gasCost: bigint;
  /** 1 for the frame of the transaction. */
  readonly depth: number;
  /** The last item is the top. */
  readonly stack: readonly bigint[];
  /** Before the step. */
  readonly memory: Uint8Array;
  /** Refund counter (EIP-3529). */
  readonly refund: bigint;
  /** Whose storage the code works on. */
  readonly address: Uint8Array;
  readonly world: WorldState;
  /** Return data of the last call of the frame. */
  readonly returnData: Uint8Array;
  /** Why the step does not begin, in geth's words; faults that appear as it runs are those of its frame. */
  readonly error?: string;
}

export type FrameKind = 'CALL' | 'CALLCODE' | 'DELEGATECALL' | 'STATICCALL' | 'CREATE' | 'CREATE2' | 'SELFDESTRUCT';

/** A frame that begins, or a call that cannot open one, or the end of a contract. Addresses are 20 bytes. */
export interface EngineFrame {
  readonly kind: FrameKind;
  readonly from: Uint8Array;
  /** Whose code runs, what is being created, or who inherits. */
  readonly to: Uint8Array;
  /** Wei; of a DELEGATECALL, that of the frame above, which is not moved again. Absent from a STATICCALL. */
  readonly value: bigint | undefined;
  readonly gas: bigint;
  readonly input: Uint8Array;
  /** 1 for the frame of the transaction. */
  readonly depth: number;
}

/** How a frame ended. */
export interface EngineFrameEnd {
  readonly gasUsed: bigint;
  readonly output: Uint8Array;
  /** In geth's words; absent where it succeeded. */
  readonly error?: string;
  /** Its changes are undone. Before Homestead those of a creation that could not pay its code stayed (EIP-2). */
  readonly isReverted: boolean;
}

/** Listens to a run. */
export interface EngineTracer {
  onStep?(step: EngineStep): void;
  /** The step that was reported last failed as it ran, or reverts. `error`: in geth's words. */
  onFault?(error: string): void;
  onEnter?(frame: EngineFrame): void;
  onExit?(end: EngineFrameEnd): void;
  /** `index`: its number among the logs of the transaction that are not undone. */
  onLog?(log: Log, index: number): void;
}
