import type { Hex } from '@cairn/block-model';
import { addressFromHex, keyOfAddress } from './addresses.ts';

/**
 * The contracts that messages may read: those of a list, and those that the messages themselves create. Accounts without code,
 * and accounts that delegate to a contract (EIP-7702), are open. The code that a delegation leads to is not.
 */
export class ContractGuard {
  /** Keys of addresses. */
  readonly #open: Set<string>;

  constructor(contracts: readonly Hex[]) {
    this.#open = new Set(contracts.map((contract) => keyOfAddress(addressFromHex(contract))));
  }

  isOpen(key: string): boolean {
    return this.#open.has(key);
  }

  /** Opens an account that gets its code from a message. Call it only for accounts that passed the guard. */
  open(key: string): void {
    this.#open.add(key);
  }
}
