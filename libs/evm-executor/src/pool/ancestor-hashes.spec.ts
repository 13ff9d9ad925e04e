import type { Header, Hex } from '@cairn/block-model';
import { describe, expect, test } from '@jest/globals';
import { testHeader } from '../test-chain.fixture.ts';
import { ancestorHashes } from './ancestor-hashes.ts';

const hashOf = (number: bigint): Hex => `0x${number.toString(16).padStart(64, '0')}`;
const chain = new Map<Hex, Header>();
for (let number = 0n; number <= 300n; number++) {
  const hash = hashOf(number);
  chain.set(hash, { ...testHeader, number, hash, parentHash: hashOf(number - 1n < 0n ? 0n : number - 1n) });
}
const header = (hash: Hex) => chain.get(hash);
const head = { ...testHeader, number: 300n, hash: hashOf(300n), parentHash: hashOf(299n) };

describe('ancestorHashes', () => {
  test('follows the parents for lookups in any order', () => {
    const find = ancestorHashes({ header }, head);
    expect([299n, 44n, 200n, 44n].map(find)).toEqual([299n, 44n, 200n, 44n].map(hashOf));
    expect([300n, 301n, -1n].map(find)).toEqual([undefined, undefined, undefined]);
  });

  test('uses the index for canonical blocks only', () => {
    const hashByNumber = (number: bigint): Hex => `0x${'ee'.repeat(31)}${number.toString(16).padStart(2, '0')}`;
    const canonical = ancestorHashes({ header, hashByNumber, isCanonical: () => true }, head);
    expect(canonical(7n)).toBe(hashByNumber(7n));
    const branch = ancestorHashes({ header, hashByNumber, isCanonical: () => false }, head);
    expect(branch(250n)).toBe(hashOf(250n));
  });

  test('returns undefined beyond a missing header', () => {
    const find = ancestorHashes({ header: (hash) => (hash === hashOf(290n) ? undefined : header(hash)) }, head);
    expect([295n, 290n, 289n].map(find)).toEqual([hashOf(295n), hashOf(290n), undefined]);
  });
});
