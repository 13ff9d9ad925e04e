import { bytesFromHex, type Header, type Hex } from '@cairn/block-model';
import type { ForkRules, WorldState } from '@cairn/evm';

const weiPerGwei = 1_000_000_000n;

/**
 * Makes the payments at the end of a block: withdrawals (EIP-4895), and before the merge the rewards for the miners of the block
 * and its uncles (Yellow Paper, section 11.3).
 */
export function payRewardsAndWithdrawals(
  world: WorldState,
  { number, difficulty, miner }: Pick<Header, 'number' | 'difficulty' | 'miner'>,
  rules: ForkRules,
  withdrawals: readonly { readonly address: Hex; readonly amount: bigint }[],
  uncles: readonly Pick<Header, 'number' | 'miner'>[] = [],
): void {
  const pay = (address: Hex, amount: bigint) => {
    const account = bytesFromHex(address);
    world.updateAccount(account, { balance: BigInt.asUintN(256, world.getBalance(account) + amount) });
  };
  if (difficulty === 0n) {
    for (const { address, amount } of withdrawals) if (amount > 0n) pay(address, amount * weiPerGwei);
    return;
  }
  for (const { author, value } of rewardsOf({ number, difficulty, miner }, rules, uncles)) pay(author, value);
}

/** Payment for the miner of a block or of an uncle. */
export interface Reward {
  readonly kind: 'block' | 'uncle';
  readonly author: Hex;
  /** Wei. */
  readonly value: bigint;
}

/** Rewards of a block: its own first, then those of its uncles in order. Empty after the merge and for the genesis. */
export function rewardsOf(
  { number, difficulty, miner }: Pick<Header, 'number' | 'difficulty' | 'miner'>,
  rules: ForkRules,
  uncles: readonly Pick<Header, 'number' | 'miner'>[],
): Reward[] {
  if (difficulty === 0n || number === 0n) return [];
  const reward = minerReward(rules);
  const own: Reward = { kind: 'block', author: miner, value: reward + (reward / 32n) * BigInt(uncles.length) };
  const others = uncles.map((uncle): Reward => {
    const value = (reward * (8n - number + uncle.number)) / 8n;
    return { kind: 'uncle', author: uncle.miner, value };
  });
  return [own, ...others];
}

/** Block reward in wei (EIP-649, EIP-1234). */
function minerReward({ isConstantinople, isByzantium }: ForkRules): bigint {
  const ether = 10n ** 18n;
  if (isConstantinople) return 2n * ether;
  return (isByzantium ? 3n : 5n) * ether;
}
