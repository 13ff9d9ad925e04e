import type { WorldState } from '../world-state.ts';

/** What an engine is about to do. The object and what it holds are of that moment only. */
export interface EngineStep {
  readonly pc: number;
  readonly opcode: number;
  /** As geth names it. */
  readonly name: string;
  /** What is left before the step. */
  readonly gas: bigint;
  /** Of the step, with what it hands to the frame that it opens (EIP-150). */
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
}

export type FrameKind = 'CALL' | 'CALLCODE' | 'DELEGATECALL' | 'STATICCALL' | 'CREATE' | 'CREATE2';

/** A frame that begins. Addresses are 20 bytes. */
export interface EngineFrame {
  readonly kind: FrameKind;
  readonly from: Uint8Array;
  /** Whose code runs, or what is being created. */
  readonly to: Uint8Array;
  /** Wei; of a DELEGATECALL, that of the frame above, which is not moved again. */
  readonly value: bigint;
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
}

/** Listens to a run. */
export interface EngineTracer {
  onStep?(step: EngineStep): void;
  onEnter?(frame: EngineFrame): void;
  onExit?(end: EngineFrameEnd): void;
}
