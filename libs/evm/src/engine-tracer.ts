import type { Log } from '@cairn/block-model';
import type { WorldState } from './state/world-state.ts';

/** A step before it runs. The object and its arrays are valid only during the call of the tracer. */
export interface EngineStep {
  readonly pc: number;
  readonly opcode: number;
  /** Name of the opcode in geth. */
  readonly name: string;
  /** Gas before the step. */
  readonly gas: bigint;
  /** Price of the step, including the gas of the frame that it opens (EIP-150). After an error: the part that is known. */
  readonly gasCost: bigint;
  /** 1 for the frame of the transaction. */
  readonly depth: number;
  /** Stack before the step. The last item is the top. */
  readonly stack: readonly bigint[];
  /** Memory before the step. */
  readonly memory: Uint8Array;
  /** Refund counter (EIP-3529). */
  readonly refund: bigint;
  /** Account whose storage the code uses. */
  readonly address: Uint8Array;
  readonly world: WorldState;
  /** Return data of the frame's last call. */
  readonly returnData: Uint8Array;
  /** geth's message if the step cannot begin. Faults during the step are reported with its frame. */
  readonly error: string | undefined;
}

export type FrameKind = 'CALL' | 'CALLCODE' | 'DELEGATECALL' | 'STATICCALL' | 'CREATE' | 'CREATE2' | 'SELFDESTRUCT';

/** Start of a frame, a call that opens none, or a SELFDESTRUCT. Addresses are 20 bytes. */
export interface EngineFrame {
  readonly kind: FrameKind;
  readonly from: Uint8Array;
  /** Account whose code runs, the created account, or the heir. */
  readonly to: Uint8Array;
  /** Wei. A DELEGATECALL has that of the frame above, which is not moved again. Absent for a STATICCALL. */
  readonly value: bigint | undefined;
  readonly gas: bigint;
  readonly input: Uint8Array;
  /** 1 for the frame of the transaction. */
  readonly depth: number;
}

/** End of a frame. */
export interface EngineFrameEnd {
  readonly gasUsed: bigint;
  readonly output: Uint8Array;
  /** geth's message; absent on success. */
  readonly error?: string;
  /** Changes are reverted. Before Homestead those of a creation that could not pay for its code stayed (EIP-2). */
  readonly isReverted: boolean;
}

/** Receives the events of a run. */
export interface EngineTracer {
  onStep?(step: EngineStep): void;
  /**
   * The only opcodes whose steps are reported, and with a fault only one that their price shows. Possible are opcodes that read or
   * write beyond their frame, such as SLOAD and CALL. Other steps run at full speed. Default: all opcodes.
   */
  readonly stepOpcodes?: ReadonlySet<number>;
  /** The last reported step failed or reverts. `error` is geth's message. */
  onFault?(error: string): void;
  onEnter?(frame: EngineFrame): void;
  onExit?(end: EngineFrameEnd): void;
  /** `index` counts the logs of the transaction that are not reverted. */
  onLog?(log: Log, index: number): void;
}
