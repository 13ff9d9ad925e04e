import { type KeyPolicy, requireAllContracts, requireContracts } from '@cairn/auth';
import type { StateOverrides } from '@cairn/evm-executor';
import type { Topic } from '../subscriptions/topic.ts';
import type { LogFilter } from './logs/log-filter.ts';

/** Contracts that a request names: `undefined` for one that it leaves open, `anything` where it asks for all of them. */
export type NamedContracts = readonly (string | undefined)[] | 'anything';

/** The contracts that a request names, which are all that its answer shows. */
export interface RevealsNamed<Values> {
  readonly contracts: (params: Values) => NamedContracts;
  /** Present where the request runs code: the executor checks nested calls then. */
  readonly overrides?: (params: Values) => readonly (StateOverrides | undefined)[];
  /** For documentation, where the sentence of the kind does not fit. */
  readonly note?: string;
}

/**
 * Data of contracts that a method can reveal. Data are code, storage, balance, nonce, logs, traces, and transactions to the
 * contract.
 */
export type Reveals<Values> = Exclude<RevealKind, 'named' | 'executed'> | RevealsNamed<Values>;

/** The kinds of methods, with the rule for keys that are limited to contracts. */
export const revealKinds = {
  nothing: 'open.',
  named: 'open for the contracts of the key.',
  executed:
    'open for calls to the contracts of the key that read no other contract. Overrides of code or storage are refused.',
  accounts: 'open for accounts without code and for the contracts of the key.',
  transaction: 'open for transactions to the contracts of the key whose logs are all of these contracts.',
  filter: 'open for filters of the key whose contracts are all still among those of the key.',
  anything: 'refused.',
} as const;
export type RevealKind = keyof typeof revealKinds;

export function revealKindOf(reveals: Reveals<never>): RevealKind {
  if (typeof reveals === 'string') return reveals;
  return reveals.overrides === undefined ? 'named' : 'executed';
}

/** The contracts of a filter of logs; one without addresses leaves them open. */
export function contractsOfFilter({ addresses }: LogFilter): NamedContracts {
  return addresses.length === 0 ? [undefined] : addresses;
}

/** The contracts that the events of a subscription show. */
export function contractsOfTopic(topic: Topic): NamedContracts {
  if (topic.kind === 'logs') return contractsOfFilter(topic.filter);
  return topic.kind === 'transactionReceipts' ? 'anything' : [];
}

/** Checks that a key covers contracts that a request names. @throws KEY_SCOPE_MISSING */
export function requireNamed(policy: KeyPolicy, name: string, named: NamedContracts): void {
  if (named === 'anything') requireAllContracts(policy, `this form of ${name}, which can show any contract`);
  else requireContracts(policy, named);
}
