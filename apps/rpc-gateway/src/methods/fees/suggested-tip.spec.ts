import type { Block, Hex, Transaction } from '@cairn/block-model';
import { unsignedTransaction } from '@cairn/block-model';
import { expect, test } from '@jest/globals';
import type { Chain } from '../../chains/chain.ts';
import { suggestedTip } from './suggested-tip.ts';

const miner: Hex = `0x${'aa'.repeat(20)}`;
const sender: Hex = `0x${'bb'.repeat(20)}`;
const baseFeePerGas = 100n;

function transaction(tip: bigint, from = sender): Transaction {
  const gasPrice = baseFeePerGas + tip;
  return unsignedTransaction(from, { type: 0, nonce: 0n, gas: 21_000n, gasPrice, to: sender, value: 0n, input: '0x' });
}

/** Builds a chain whose blocks, from block 1 on, have transactions with these tips. */
function chainOf(...tips: readonly (readonly (bigint | Transaction)[])[]): Chain {
  const hashOf = (number: bigint): Hex => `0x${number.toString(16).padStart(64, '0')}`;
  const blocks = new Map(
    [[], ...tips].map((list, index) => {
      const transactions = list.map((item) => (typeof item === 'bigint' ? transaction(item) : item));
      return [hashOf(BigInt(index)), { header: { baseFeePerGas, miner }, transactions } as unknown as Block];
    }),
  );
  const head = { hash: hashOf(BigInt(tips.length)), number: BigInt(tips.length) };
  return {
    network: {},
    reader: { head, hashByNumber: hashOf, block: (hash: Hex) => blocks.get(hash) },
  } as unknown as Chain;
}

// Rules of geth's oracle (eth/gasprice/gasprice.go): the 60th percentile of the lowest three tips of each of 20 blocks.
test.each([
  ['returns the initial tip for a chain without transactions', chainOf([], []), 1_000_000n],
  ['returns the initial tip for a chain with a genesis block only', chainOf(), 1_000_000n],
  ['uses the lowest three tips of a block', chainOf([10n, 20n, 30n, 40n, 50n]), 20n],
  ['counts the initial tip for a block without transactions', chainOf([10n], [], []), 1_000_000n],
  ['ignores tips below 2 wei', chainOf([0n, 1n, 5n, 5n]), 5n],
  ['ignores transactions that the miner sends', chainOf([transaction(3n, miner), 7n, 7n]), 7n],
  ['returns at most 500 gwei', chainOf([10n ** 15n]), 500_000_000_000n],
])('suggestedTip %s', (_, chain, tip) => {
  expect(suggestedTip(chain)).toBe(tip);
});

test('suggestedTip reads one more block for each block with at most one tip, up to 40 blocks', () => {
  const thin = Array.from({ length: 20 }, () => [5n]);
  const full = Array.from({ length: 30 }, () => [9n, 9n, 9n]);
  // 20 blocks with one tip, and one full block for each of them until there are 40 tips.
  expect(suggestedTip(chainOf(...full, ...thin))).toBe(9n);
  expect(suggestedTip(chainOf(...thin))).toBe(5n);
});
