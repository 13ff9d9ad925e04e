import { bytesFromHex, type Hex } from '@cairn/block-model';

// Calldata results in SSTORE(first word, second word). No calldata results in SELFDESTRUCT(CALLER).
const child = '36600657' + '33ff' + '5b' + '602035' + '600035' + '55' + '00';
// Stores 7 in slot 0, then returns the code above, which MSTORE aligns to the right end of a word.
const childInit = `6007600055${'6e'}${child}${'600052'}${'600f6011f3'}`;
const initLength = childInit.length / 2;
// Creates the child with CREATE2; the salt is the first word of the calldata.
const factory = `${(0x5f + initLength).toString(16)}${childInit}600052600035${byte(initLength)}${byte(32 - initLength)}6000f500`;

function byte(value: number): string {
  return `60${value.toString(16).padStart(2, '0')}`;
}

/** Contracts whose storage is created and emptied. */
export const fixtureContracts = {
  childInit: bytesFromHex(`0x${childInit}` as Hex),
  factory: bytesFromHex(`0x${factory}` as Hex),
};
