import type { AccountState, StateReader } from '@cairn/block-model';
import { mapKeyFromBytes } from '@cairn/evm';

/** State that is read asynchronously, for example over a network: {@link StateReader} with promises. */
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

/** Thrown by a read that needs a fetch first. It does not extend Error, since capturing a stack trace is expensive. */
class Missing {
  readonly fetch: () => Promise<void>;

  constructor(fetch: () => Promise<void>) {
    this.fetch = fetch;
  }
}

/**
 * Adapts a remote state to the synchronous {@link StateReader} of engines. A read of missing data ends the run; the data is
 * fetched and the run starts again. Fetched data is kept, so use one object per call or per block.
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
    const key = mapKeyFromBytes(address);
    const known = this.#accounts.get(key);
    if (known === undefined && !this.#accounts.has(key)) throw new Missing(() => this.#fetchAccount(address));
    return known;
  }

  getCode(codeHash: Uint8Array): Uint8Array {
    const known = this.#codes.get(mapKeyFromBytes(codeHash));
    if (known === undefined) throw new Missing(() => this.#fetchCode(codeHash));
    return known;
  }

  getStorage(address: Uint8Array, slot: Uint8Array): Uint8Array {
    const known = this.#slots.get(mapKeyFromBytes(address) + mapKeyFromBytes(slot));
    if (known === undefined) throw new Missing(() => this.#fetchSlot(address, slot));
    return known;
  }

  /** Fetches accounts with their code, and slots, concurrently. Each saves a restart of the run. @throws the errors of the remote state */
  async prefetch(entries: readonly PrefetchEntry[]): Promise<void> {
    await Promise.all(
      entries.flatMap(({ address, slots = [] }) => [
        this.#fetchAccount(address),
        ...slots.map((slot) => this.#fetchSlot(address, slot)),
      ]),
    );
  }

  /**
   * Repeats `work` until all data that it reads is fetched. `work` must have no effect when it throws.
   * @throws the errors of `work` and of the remote state, and the reason of `signal`
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

  /** Fetches the code too, since most reads of an account precede its execution. */
  async #fetchAccount(address: Uint8Array): Promise<void> {
    const copy = address.slice();
    const account = await this.#remote.getAccount(copy);
    if (account !== undefined && !this.#codes.has(mapKeyFromBytes(account.codeHash)))
      await this.#fetchCode(account.codeHash);
    this.#accounts.set(mapKeyFromBytes(copy), account);
  }

  async #fetchCode(codeHash: Uint8Array): Promise<void> {
    this.#codes.set(mapKeyFromBytes(codeHash), await this.#remote.getCode(codeHash));
  }

  async #fetchSlot(address: Uint8Array, slot: Uint8Array): Promise<void> {
    const key = mapKeyFromBytes(address) + mapKeyFromBytes(slot);
    this.#slots.set(key, await this.#remote.getStorage(address.slice(), slot.slice()));
  }
}
