import {
  type AccountChange,
  type AccountState,
  bytesFromBigint,
  bytesFromHex,
  encodeRlp,
  type Hex,
  hexFromBytes,
  keccak256,
  type StateReader,
  type StateRoots,
} from '@cairn/block-model';
import type { MemoryAccount } from '@cairn/block-model/testing';
import { trieRoot } from '@cairn/trie';

interface Entry {
  readonly account: AccountState;
  readonly slots: ReadonlyMap<Hex, Uint8Array>;
}

/** In-memory state with roots. Each root is computed from all accounts: slow and simple. */
export class TrieState implements StateRoots {
  readonly #entries = new Map<Hex, Entry>();
  readonly #codes = new Map<Hex, Uint8Array>();

  static async of(accounts: Readonly<Record<Hex, MemoryAccount>>): Promise<TrieState> {
    const state = new TrieState();
    await state.after(
      Object.entries(accounts).map(([address, { nonce = 0n, balance = 0n, code = '0x', storage = {} }]) => {
        const bytes = bytesFromHex(code);
        return {
          address: bytesFromHex(address),
          account: { nonce, balance, codeHash: keccak256(bytes) },
          code: bytes,
          isStorageCleared: false,
          slots: Object.entries(storage).map(
            ([slot, value]) => [bytesFromHex(slot), bytesFromHex(value.replace(/^0x(00)*/, '0x'))] as const,
          ),
        };
      }),
    );
    return state;
  }

  /** Snapshot of the current state. */
  view(): StateReader {
    return {
      getAccount: (address) => this.#entries.get(hexFromBytes(address))?.account,
      getCode: (codeHash) => this.#codes.get(hexFromBytes(codeHash)) ?? new Uint8Array(0),
      getStorage: (address, slot) =>
        this.#entries.get(hexFromBytes(address))?.slots.get(hexFromBytes(slot)) ?? new Uint8Array(0),
    };
  }

  async after(changes: readonly AccountChange[]): Promise<Uint8Array> {
    for (const change of changes) this.#make(change);
    return trieRoot(
      [...this.#entries].map(([address, { account }]) => {
        const { nonce, balance, storageRoot = new Uint8Array(0), codeHash } = account;
        const record = encodeRlp([bytesFromBigint(nonce), bytesFromBigint(balance), storageRoot, codeHash]);
        return [keccak256(bytesFromHex(address)), record];
      }),
    );
  }

  #make({ address, account, isStorageCleared, slots, code }: AccountChange): void {
    const key = hexFromBytes(address);
    if (account === undefined) {
      this.#entries.delete(key);
      return;
    }
    const kept = new Map(isStorageCleared ? [] : this.#entries.get(key)?.slots);
    for (const [slot, value] of slots) {
      if (value.length === 0) kept.delete(hexFromBytes(slot));
      else kept.set(hexFromBytes(slot), value);
    }
    if (code !== undefined) this.#codes.set(hexFromBytes(account.codeHash), code);
    const storageRoot = trieRoot([...kept].map(([slot, value]) => [keccak256(bytesFromHex(slot)), encodeRlp(value)]));
    this.#entries.set(key, { account: { ...account, storageRoot }, slots: kept });
  }
}
