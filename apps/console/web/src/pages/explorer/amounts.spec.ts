import { expect, test } from '@jest/globals';
import { ether, gwei } from './amounts.ts';

test('ether and gwei show wei exactly', () => {
  expect(ether(0n)).toBe('0 ETH');
  expect(ether(1n)).toBe('0.000000000000000001 ETH');
  expect(ether(1_234_500_000_000_000_000_000n)).toBe('1,234.5 ETH');
  expect(gwei(12_500_000_000n)).toBe('12.5 gwei');
  expect(gwei(7n)).toBe('0.000000007 gwei');
});
