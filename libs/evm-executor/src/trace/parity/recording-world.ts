import { type AccountState, type Hex, hexFromBytes } from '@cairn/block-model';
import { WorldState } from '@cairn/evm';

/** An account before a transaction. */
export interface AccountBefore {
  /** `undefined` if it did not exist. */
  readonly account: AccountState | undefined;
  readonly code: Uint8Array;
}

/** A world that keeps the previous state of the accounts that a transaction writes. */
export class RecordingWorld extends WorldState {
  #before = new Map<Hex, AccountBefore>();

  /** Starts to record the writes of a transaction. */
  beginRecord(): void {
    this.#before = new Map();
    this.takeChanges();
  }

  /** State of an account before the transaction; `undefined` if the transaction has not written the account. */
  before(address: Hex): AccountBefore | undefined {
    return this.#before.get(address);
  }

  override setAccount(address: Uint8Array, account: AccountState | undefined): void {
    const key = hexFromBytes(address);
    if (!this.#before.has(key))
      this.#before.set(key, { account: this.getAccount(address), code: this.getCode(address) });
    super.setAccount(address, account);
  }
}
