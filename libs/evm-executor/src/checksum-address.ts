import { type Hex, keccak256 } from '@cairn/block-model';
import { hexDigitsFromBytes } from '@cairn/platform';

/** An address with upper and lower case as EIP-55 has it. */
export function checksumAddress(address: Hex): Hex {
  const digits = address.slice(2).toLowerCase();
  const hash = hexDigitsFromBytes(keccak256(new TextEncoder().encode(digits)));
  const cased = [...digits].map((digit, index) =>
    Number.parseInt(hash[index] ?? '0', 16) >= 8 ? digit.toUpperCase() : digit,
  );
  return `0x${cased.join('')}`;
}
