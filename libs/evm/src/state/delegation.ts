import { hexFromBytes } from '@cairn/block-model';

/** Prefix of the code of accounts that delegate (EIP-7702). */
export const delegationPrefix = 'ef0100';

/** Address to which code delegates (EIP-7702); `undefined` for other code. */
export function delegationOf(code: Uint8Array): Uint8Array | undefined {
  const isDelegation = code.length === 23 && hexFromBytes(code.subarray(0, 3)) === `0x${delegationPrefix}`;
  return isDelegation ? code.subarray(3) : undefined;
}
