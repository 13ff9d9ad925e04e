import { type KeyPolicy, requireAllContracts, requireContracts } from '@cairn/auth';
import { bytesFromHex, type Hex, type Receipt, type StateReader, type Transaction } from '@cairn/block-model';
import { delegationOf } from '@cairn/evm-executor';
import type { RequestContext } from '../request-context.ts';

/**
 * Checks that a key may read an account: an account without code, one that delegates (EIP-7702), or a contract of the key.
 * @throws KEY_SCOPE_MISSING
 */
export function requireOpenAccount({ principal }: RequestContext, state: StateReader, address: Hex): void {
  const { policy } = principal.key;
  if (policy.contracts === undefined) return;
  const account = state.getAccount(bytesFromHex(address));
  const code = account && state.getCode(account.codeHash);
  if (code === undefined || code.length === 0 || delegationOf(code) !== undefined) return;
  requireContracts(policy, [address]);
}

/**
 * Checks that a key may read a transaction, and its receipt if given. The error does not name the contract, which is hidden too.
 * @throws KEY_SCOPE_MISSING if the transaction calls, creates or logs a contract that the key does not list
 */
export function requireOpenTransaction(
  policy: KeyPolicy,
  { to }: Pick<Transaction, 'to'>,
  receipt?: Pick<Receipt, 'logs'>,
): void {
  const { contracts } = policy;
  if (contracts === undefined) return;
  const addresses = [to, ...(receipt?.logs.map(({ address }) => address) ?? [])];
  if (addresses.every((address) => address !== null && contracts.includes(address))) return;
  requireAllContracts(policy, 'this transaction, which creates, calls or logs another contract');
}
