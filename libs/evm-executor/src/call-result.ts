import type { Hex } from '@cairn/block-model';
import type { CallRejectionCode } from './errors.ts';

/** The code ran to its end. */
export interface CallSuccess {
  readonly kind: 'success';
  /** `0x` when there is none. */
  readonly output: Hex;
  /** Gas that a transaction would be charged: with intrinsic gas, after refunds (EIP-3529), and at least the floor (EIP-7623). */
  readonly gasUsed: bigint;
}

/** The code reverted on purpose (REVERT, 0xfd). */
export interface CallRevert {
  readonly kind: 'revert';
  /** Data that the code returned. */
  readonly data: Hex;
  /** Text of `Error(string)` or meaning of `Panic(uint256)`; absent for custom errors and for empty data. */
  readonly reason?: string;
  /** `execution reverted`, followed by the reason if there is one. */
  readonly message: string;
  readonly gasUsed: bigint;
}

/** The code broke a rule of the EVM and used all its gas. */
export interface CallHalt {
  readonly kind: 'halt';
  /** geth's text, such as `out of gas` or `invalid opcode: INVALID`. */
  readonly reason: string;
  readonly gasUsed: bigint;
}

/** Result of a call. */
export type CallResult = CallSuccess | CallRevert | CallHalt;

/** A call that a node refuses before any code runs, as a result. `executeCall` throws it as an error. */
export interface CallRefusal {
  readonly kind: 'refusal';
  readonly code: CallRejectionCode;
  /** geth's text. */
  readonly message: string;
  readonly gasUsed: 0n;
}
