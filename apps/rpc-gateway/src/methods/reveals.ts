import { type KeyPolicy, requireAllContracts, requireContracts } from '@cairn/auth';
import type { StateOverrides } from '@cairn/evm-executor';
import type { Topic } from '../subscriptions/topic.ts';
import type { LogFilter } from './logs/log-filter.ts';

/** Contracts that a request names: `undefined` for an unnamed contract, `anything` for all contracts. */
export type NamedContracts = readonly (string | undefined)[] | 'anything';

/** The contracts that a request names. The result shows no other contract. */
export interface RevealsNamed<Values> {
  readonly contracts: (params: Values) => NamedContracts;
  /** Present if the request executes code. The executor then checks nested calls. */
  readonly overrides?: (params: Values) => readonly (StateOverrides | undefined)[];
  /** Replaces the standard sentence in the documentation. */
  readonly note?: string;
}

/**
 * Contract data that a method can reveal: code, storage, balance, nonce, logs, traces, and transactions to the contract.
 */
export type Reveals<Values> = Exclude<RevealKind, 'named' | 'executed'> | RevealsNamed<Values>;

/** Kinds of methods, with the rule for keys that are limited to contracts. */
export const revealKinds = {
  nothing: 'allowed.',
  named: 'allowed for the contracts of the key.',
  executed:
    'allowed for calls to the contracts of the key that read no other contract. Overrides of code or storage are refused.',
  accounts: 'allowed for accounts without code and for the contracts of the key.',
  transaction: 'allowed for transactions to the contracts of the key whose logs all come from these contracts.',
  filter: 'allowed for filters of the key whose contracts still belong to the key.',
  anything: 'refused.',
} as const;
export type RevealKind = keyof typeof revealKinds;

export function revealKindOf(reveals: Reveals<never>): RevealKind {
  if (typeof reveals === 'string') return reveals;
  return reveals.overrides === undefined ? 'named' : 'executed';
}

/** The contracts of a log filter; `undefined` stands for any contract of a filter without addresses. */
export function contractsOfFilter({ addresses }: LogFilter): NamedContracts {
  return addresses.length === 0 ? [undefined] : addresses;
}

/** The contracts that events of a subscription show. */
export function contractsOfTopic(topic: Topic): NamedContracts {
  if (topic.kind === 'logs') return contractsOfFilter(topic.filter);
  if (topic.kind === 'newPendingTransactions' && topic.isFull) return 'anything';
  return topic.kind === 'transactionReceipts' ? 'anything' : [];
}

/** Checks that a key covers the contracts that a request names. @throws KEY_SCOPE_MISSING */
export function requireNamed(policy: KeyPolicy, name: string, named: NamedContracts): void {
  if (named === 'anything') requireAllContracts(policy, `this form of ${name}, which can show any contract`);
  else requireContracts(policy, named);
}
