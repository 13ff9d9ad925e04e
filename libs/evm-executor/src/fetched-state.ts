import type { AccountState, StateReader } from '@cairn/block-model';
import { keyOf } from './key-of.ts';

/** A state that has to wait for what it reads: another machine has it. As {@link StateReader}, with promises. */
export interface RemoteState {
  getAccount(address: Uint8Array): Promise<AccountState | undefined>;
  getCode(codeHash: Uint8Array): Promise<Uint8Array>;
  getStorage(address: Uint8Array, slot: Uint8Array): Promise<Uint8Array>;
}

/** Accounts and slots that a run is likely to read, as in an access list (EIP-2930). */
export interface PrefetchEntry {
  /** 20 bytes. */
  readonly address: Uint8Array;
  /** 32 bytes each. */
  readonly slots?: readonly Uint8Array[];
}

/** What a run has asked for and nobody has fetched yet. Thrown without a trace of the stack. */
class Missing {
  readonly fetch: () => Promise<void>;

  constructor(fetch: () => Promise<void>) {
    this.fetch = fetch;
  }
}

/**
 * A remote state as engines take it, which never wait: what is missing ends the run, is fetched, and the run begins anew. Keeps all
 * that it has fetched; one for a call, or for all calls on a block.
 */
export class FetchedState implements StateReader {
  readonly #remote: RemoteState;
  readonly #accounts = new Map<string, AccountState | undefined>();
  readonly #codes = new Map<string, Uint8Array>();
  readonly #slots = new Map<string, Uint8Array>();

  constructor(remote: RemoteState) {
    this.#remote = remote;
  }

  getAccount(address: Uint8Array): AccountState | undefined {
    const key = keyOf(address);
    const known = this.#accounts.get(key);
    if (known === undefined && !this.#accounts.has(key)) throw new Missing(() => this.#fetchAccount(address));
    return known;
  }

  getCode(codeHash: Uint8Array): Uint8Array {
    const known = this.#codes.get(keyOf(codeHash));
    if (known === undefined) throw new Missing(() => this.#fetchCode(codeHash));
    return known;
  }

  getStorage(address: Uint8Array, slot: Uint8Array): Uint8Array {
    const known = this.#slots.get(keyOf(address) + keyOf(slot));
    if (known === undefined) throw new Missing(() => this.#fetchSlot(address, slot));
    return known;
  }

  /** Fetches accounts with their code, and slots, all at once: each would cost a run of its own. @throws what the remote state throws */
  async prefetch(entries: readonly PrefetchEntry[]): Promise<void> {
    await Promise.all(
      entries.flatMap(({ address, slots = [] }) => [
        this.#fetchAccount(address),
        ...slots.map((slot) => this.#fetchSlot(address, slot)),
      ]),
    );
  }

  /**
   * Runs `work`, which reads this state and leaves nothing behind when it fails, again and again until nothing is missing.
   * @throws what `work` and the remote state throw, and the reason of `signal`
   */
  async run<T>(work: () => Promise<T>, signal?: AbortSignal): Promise<T> {
    for (;;) {
      signal?.throwIfAborted();
      try {
        return await work();
      } catch (error) {
        if (!(error instanceof Missing)) throw error;
        await error.fetch();
      }
    }
  }

  /** With its code: who asks for an account mostly runs it. */
  async #fetchAccount(address: Uint8Array): Promise<void> {
    const copy = address.slice();
    const account = await this.#remote.getAccount(copy);
    if (account !== undefined && !this.#codes.has(keyOf(account.codeHash))) await this.#fetchCode(account.codeHash);
    this.#accounts.set(keyOf(copy), account);
  }

  async #fetchCode(codeHash: Uint8Array): Promise<void> {
    this.#codes.set(keyOf(codeHash), await this.#remote.getCode(codeHash));
  }

  async #fetchSlot(address: Uint8Array, slot: Uint8Array): Promise<void> {
    const key = keyOf(address) + keyOf(slot);
    this.#slots.set(key, await this.#remote.getStorage(address.slice(), slot.slice()));
  }
}
