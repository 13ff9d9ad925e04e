import type { Hex } from '@cairn/block-model';

/** The code ran to its end. */
export interface CallSuccess {
  readonly kind: 'success';
  /** `0x` when there is none. */
  readonly output: Hex;
  /** What a transaction would have been charged: with intrinsic gas, after refunds (EIP-3529) and floor (EIP-7623). */
  readonly gasUsed: bigint;
}

/** The code reverted on purpose (REVERT, 0xfd). */
export interface CallRevert {
  readonly kind: 'revert';
  /** As the code returned it. */
  readonly data: Hex;
  /** What `Error(string)` or `Panic(uint256)` say; absent for custom errors and for none. */
  readonly reason?: string;
  /** `execution reverted`, with the reason where there is one. */
  readonly message: string;
  readonly gasUsed: bigint;
}

/** The code broke a rule of the machine, and all gas is gone. */
export interface CallHalt {
  readonly kind: 'halt';
  /** In geth's words, such as `out of gas` or `invalid opcode: INVALID`. */
  readonly reason: string;
  readonly gasUsed: bigint;
}

/** How a call ended. */
export type CallResult = CallSuccess | CallRevert | CallHalt;
