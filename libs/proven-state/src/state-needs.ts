import { keyOf } from './content-cache.ts';

/** Account whose path, slots or code are not cached. */
export interface AccountNeed {
  /** 20 bytes. */
  readonly address: Uint8Array;
  /** 32 bytes each. */
  readonly slots: readonly Uint8Array[];
  /** The code is needed as well. */
  readonly needsCode: boolean;
}

interface Collected {
  readonly address: Uint8Array;
  readonly slots: Map<string, Uint8Array>;
  needsCode: boolean;
}

/** Collects the reads that a run could not answer. Each account and slot is collected once. */
export class StateNeeds {
  readonly #accounts = new Map<string, Collected>();
  #reads = 0;

  /** Number of accounts and slots. */
  get reads(): number {
    return this.#reads;
  }

  account(address: Uint8Array, { needsCode = false } = {}): void {
    const account = this.#of(address);
    account.needsCode ||= needsCode;
  }

  has(address: Uint8Array): boolean {
    return this.#accounts.has(keyOf(address));
  }

  slot(address: Uint8Array, slot: Uint8Array): void {
    const { slots } = this.#of(address);
    const key = keyOf(slot);
    if (slots.has(key)) return;
    slots.set(key, slot.slice());
    this.#reads += 1;
  }

  list(): readonly AccountNeed[] {
    return [...this.#accounts.values()].map(({ address, slots, needsCode }) => ({
      address,
      slots: [...slots.values()],
      needsCode,
    }));
  }

  #of(address: Uint8Array): Collected {
    const key = keyOf(address);
    let account = this.#accounts.get(key);
    if (account === undefined) {
      account = { address: address.slice(), slots: new Map(), needsCode: false };
      this.#accounts.set(key, account);
      this.#reads += 1;
    }
    return account;
  }
}
