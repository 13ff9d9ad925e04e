import { hexFromBytes } from '@cairn/block-model';
import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { addressAt, addressFromHex, addressFromWord, mapKeyOfAddress, wordFromAddress } from './addresses.ts';
import { bytesFromMapKey } from './map-key.ts';

const address = fc.uint8Array({ minLength: 20, maxLength: 20 });

test('addressFromWord and addressFromHex share one array per address', () => {
  fc.assert(
    fc.property(address, (bytes) => {
      const hex = hexFromBytes(bytes);
      const known = addressFromHex(hex);
      expect(hexFromBytes(known)).toBe(hex);
      expect(addressFromWord(BigInt(hex)).bytes).toBe(known);
      for (const each of [known, bytes]) {
        expect(wordFromAddress(each)).toBe(BigInt(hex));
        expect(hexFromBytes(bytesFromMapKey(mapKeyOfAddress(each)))).toBe(hex);
      }
    }),
  );
});

test('addressAt returns the cached address, also when several addresses share a cache entry', () => {
  const parts = fc.array(fc.constantFrom(1, 1025, 2049, -1, 0), { minLength: 8, maxLength: 8 });
  fc.assert(
    fc.property(parts, (integers) => {
      const source = Int32Array.from([7, ...integers]);
      const word = integers.slice(0, 5).reduceRight((sum, part) => (sum << 32n) | BigInt(part >>> 0), 0n);
      for (let times = 0; times < 2; times++) expect(addressAt(source, 1)).toBe(addressFromWord(word));
    }),
  );
});

test('addresses stay correct beyond the size of the cache', () => {
  const first = addressFromWord(1n).bytes;
  for (let number = 0n; number < 25_000n; number++) addressFromWord(number);
  expect(addressFromWord(1n).bytes).toEqual(first);
  expect(wordFromAddress(first)).toBe(1n);
  expect(mapKeyOfAddress(first)).toBe(mapKeyOfAddress(addressFromWord(1n).bytes));
});
