import type { Hex } from '@cairn/block-model';
import { addressFromHex, mapKeyOfAddress } from './addresses.ts';

/**
 * Set of contracts that messages may read: the listed ones and those that the messages create. Accounts without code and accounts
 * that delegate (EIP-7702) are readable without being listed. The code that a delegation points to must be listed.
 */
export class ContractGuard {
  /** Map keys of addresses. */
  readonly #open: Set<string>;

  constructor(contracts: readonly Hex[]) {
    this.#open = new Set(contracts.map((contract) => mapKeyOfAddress(addressFromHex(contract))));
  }

  isOpen(key: string): boolean {
    return this.#open.has(key);
  }

  /** Adds an account whose code is set by a message. Call it only for accounts that have passed the guard. */
  open(key: string): void {
    this.#open.add(key);
  }
}
