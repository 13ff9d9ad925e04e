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
  const reward = minerReward(rules);
  for (const uncle of uncles) pay(uncle.miner, (reward * (8n - number + uncle.number)) / 8n);
  pay(miner, reward + (reward / 32n) * BigInt(uncles.length));
}

/** Block reward in wei (EIP-649, EIP-1234). */
function minerReward({ isConstantinople, isByzantium }: ForkRules): bigint {
  const ether = 10n ** 18n;
  if (isConstantinople) return 2n * ether;
  return (isByzantium ? 3n : 5n) * ether;
}
