import type { Precompile, Precompiles } from '../precompiles/precompiles.ts';
import type { Frame, FrameOptions } from './frame.ts';
import type { StoragePrices } from './gas.ts';

/** Target of a call: a precompile or bytecode. */
export type Callee = Precompile | Uint8Array;

export interface CallOptions {
  /** CALL for the call of the message itself. */
  readonly opcode: number;
  /** Account whose code is called. */
  readonly target: Uint8Array;
  readonly callee: Callee;
  readonly address: Uint8Array;
  readonly caller: Uint8Array;
  readonly value: bigint;
  readonly moves: boolean;
  /** Balance that the caller must have, even if no value moves. */
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
  /** Only for CREATE2. */
  readonly salt?: bigint | undefined;
}

/** Fork rules of a machine. */
export interface MachineRules {
  readonly storage: StoragePrices;
  readonly destroyRefund: number;
  /** The block has a random value instead of a difficulty (EIP-4399). */
  readonly isMerged: boolean;
  readonly precompiles: Precompiles;
}

/** Creates frames, interpreted or compiled. */
export interface Frames {
  make(options: FrameOptions): Frame;
}
