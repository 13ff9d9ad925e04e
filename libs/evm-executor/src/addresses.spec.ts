import { hexFromBytes } from '@cairn/block-model';
import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { addressAt, addressFromHex, addressOfWord, keyOfAddress, wordOfAddress } from './addresses.ts';
import { bytesOfKey } from './key-of.ts';

const address = fc.uint8Array({ minLength: 20, maxLength: 20 });

test('an address is the same array wherever it comes from', () => {
  fc.assert(
    fc.property(address, (bytes) => {
      const hex = hexFromBytes(bytes);
      const known = addressFromHex(hex);
      expect(hexFromBytes(known)).toBe(hex);
      expect(addressOfWord(BigInt(hex)).bytes).toBe(known);
      for (const each of [known, bytes]) {
        expect(wordOfAddress(each)).toBe(BigInt(hex));
        expect(hexFromBytes(bytesOfKey(keyOfAddress(each)))).toBe(hex);
      }
    }),
  );
});

test('an address in the integers of a word is the same one, also where many fall on one place', () => {
  const parts = fc.array(fc.constantFrom(1, 1025, 2049, -1, 0), { minLength: 8, maxLength: 8 });
  fc.assert(
    fc.property(parts, (integers) => {
      const source = Int32Array.from([7, ...integers]);
      const word = integers.slice(0, 5).reduceRight((sum, part) => (sum << 32n) | BigInt(part >>> 0), 0n);
      for (let times = 0; times < 2; times++) expect(addressAt(source, 1)).toBe(addressOfWord(word));
    }),
  );
});

test('more addresses than are kept do no harm', () => {
  const first = addressOfWord(1n).bytes;
  for (let number = 0n; number < 25_000n; number++) addressOfWord(number);
  expect(addressOfWord(1n).bytes).toEqual(first);
  expect(wordOfAddress(first)).toBe(1n);
  expect(keyOfAddress(first)).toBe(keyOfAddress(addressOfWord(1n).bytes));
});
