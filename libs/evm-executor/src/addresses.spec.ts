import { hexFromBytes } from '@cairn/block-model';
import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { addressBytes, addressFromHex, keyOfAddress, wordOfAddress } from './addresses.ts';
import { bytesOfKey } from './key-of.ts';

const address = fc.uint8Array({ minLength: 20, maxLength: 20 });

test('an address is the same array wherever it comes from', () => {
  fc.assert(
    fc.property(address, (bytes) => {
      const hex = hexFromBytes(bytes);
      const known = addressFromHex(hex);
      expect(hexFromBytes(known)).toBe(hex);
      expect(addressBytes(BigInt(hex))).toBe(known);
      for (const each of [known, bytes]) {
        expect(wordOfAddress(each)).toBe(BigInt(hex));
        expect(hexFromBytes(bytesOfKey(keyOfAddress(each)))).toBe(hex);
      }
    }),
  );
});

test('more addresses than are kept do no harm', () => {
  const first = addressBytes(1n);
  for (let number = 0n; number < 25_000n; number++) addressBytes(number);
  expect(addressBytes(1n)).toEqual(first);
  expect(wordOfAddress(first)).toBe(1n);
  expect(keyOfAddress(first)).toBe(keyOfAddress(addressBytes(1n)));
});
