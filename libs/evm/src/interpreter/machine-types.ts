import type { Precompile, Precompiles } from '../precompiles/precompiles.ts';
import type { Frame, FrameOptions } from './frame.ts';
import type { StoragePrices } from './gas.ts';

/** What a call runs: a precompile, or bytecode. */
export type Callee = Precompile | Uint8Array;

export interface CallOptions {
  /** CALL for that of a message. */
  readonly opcode: number;
  /** Whose code is asked for. */
  readonly target: Uint8Array;
  readonly callee: Callee;
  readonly address: Uint8Array;
  readonly caller: Uint8Array;
  readonly value: bigint;
  readonly moves: boolean;
  /** What the caller must have, whether it moves or not. */
  readonly mustHave: bigint;
  readonly touches: boolean;
  readonly data: Uint8Array;
  readonly gas: number;
  readonly isStatic: boolean;
}

export interface CreateOptions {
  readonly code: Uint8Array;
  readonly value: bigint;
  readonly gas: number;
  /** Of CREATE2. */
  readonly salt?: bigint | undefined;
}

/** What differs from fork to fork. */
export interface MachineRules {
  readonly storage: StoragePrices;
  readonly destroyRefund: number;
  /** The block has a random value instead of a difficulty (EIP-4399). */
  readonly isMerged: boolean;
  readonly precompiles: Precompiles;
}

/** Makes frames, of the kind that suits what they run. */
export interface Frames {
  make(options: FrameOptions): Frame;
}
