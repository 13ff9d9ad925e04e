import { bytesFromHex, type Hex, knownChainSpec } from '@cairn/block-model';
import { createMemoryState } from '@cairn/block-model/testing';
import { StateCache, WorldState } from '@cairn/evm';
import { expect, test } from '@jest/globals';
import { applyDaoFork } from './dao-fork.ts';

// The first and the last account of geth's list, and the contract that receives their balances.
const first: Hex = '0xd4fe7bc31cedb7bfb8a345f31e668033056b2728';
const last: Hex = '0x807640a13483f8ac783c557fcdf27be11ea4ac7a';
const refund: Hex = '0xbf4ed7b27f1d666546e30d74d50d173d20bca754';

test.each<[bigint, readonly bigint[]]>([
  [1_920_000n, [0n, 0n, 6n]],
  [1_919_999n, [2n, 3n, 1n]],
  [1_920_001n, [2n, 3n, 1n]],
])('applyDaoFork moves balances in block 1,920,000 of mainnet only: block %s', (number, balances) => {
  const state = createMemoryState({ [first]: { balance: 2n }, [last]: { balance: 3n }, [refund]: { balance: 1n } });
  const world = new WorldState(StateCache.of(state));
  applyDaoFork(world, knownChainSpec('main', 'mainnet'), number);
  expect([first, last, refund].map((address) => world.getBalance(bytesFromHex(address)))).toEqual(balances);
});
