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

/** A chain of blocks with transactions of these tips, from block 1 on. */
function chainOf(...tips: readonly (readonly (bigint | Transaction)[])[]): Chain {
  const hashOf = (number: bigint): Hex => `0x${number.toString(16).padStart(64, '0')}`;
  const blocks = new Map(
    [[], ...tips].map((list, index) => {
      const transactions = list.map((item) => (typeof item === 'bigint' ? transaction(item) : item));
      return [hashOf(BigInt(index)), { header: { baseFeePerGas, miner }, transactions } as unknown as Block];
    }),
  );
  const head = { hash: hashOf(BigInt(tips.length)), number: BigInt(tips.length) };
  return { store: { head, hashByNumber: hashOf, block: (hash: Hex) => blocks.get(hash) } } as unknown as Chain;
}

// Rules of geth's oracle (eth/gasprice/gasprice.go): the lowest three tips of 20 blocks, and the 60th percentile of them.
test.each([
  ['of a chain without transactions is the initial one', chainOf([], []), 1_000_000n],
  ['of a chain with the genesis block only is the initial one', chainOf(), 1_000_000n],
  ['is that of the lowest three of a block', chainOf([10n, 20n, 30n, 40n, 50n]), 20n],
  ['counts the initial one for a block without any', chainOf([10n], [], []), 1_000_000n],
  ['leaves out tips below 2 wei', chainOf([0n, 1n, 5n, 5n]), 5n],
  ['leaves out what the miner sends itself', chainOf([transaction(3n, miner), 7n, 7n]), 7n],
  ['is 500 gwei at most', chainOf([10n ** 15n]), 500_000_000_000n],
])('the suggested tip %s', (_, chain, tip) => {
  expect(suggestedTip(chain)).toBe(tip);
});

test('blocks with one tip at most are made up for by older ones, up to 40 in all', () => {
  const thin = Array.from({ length: 20 }, () => [5n]);
  const full = Array.from({ length: 30 }, () => [9n, 9n, 9n]);
  // 20 thin blocks, and a full one for each until there are 40 tips.
  expect(suggestedTip(chainOf(...full, ...thin))).toBe(9n);
  expect(suggestedTip(chainOf(...thin))).toBe(5n);
});
