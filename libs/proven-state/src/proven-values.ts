// Every read of a warm call passes here; proven-calls.bench.ts of @cairn/proven-chain measures it.
import type { ProvenAccount } from './proven-account.ts';

/** Estimated bytes of an entry: key, value, objects and its share of the map. */
const accountBytes = 700;
const slotBytes = 350;

/** Two generations of entries: the older one is dropped when the newer one has half of the bytes. Entries in use move to the newer one. */
class Generations<T> {
  readonly #bytesMax: number;
  #young = new Map<string, T>();
  #old = new Map<string, T>();
  #bytes = 0;

  constructor(bytesMax: number) {
    this.#bytesMax = bytesMax;
  }

  get(key: string, bytes: number): T | undefined {
    const value = this.#young.get(key);
    if (value !== undefined) return value;
    const older = this.#old.get(key);
    if (older !== undefined) this.set(key, older, bytes);
    return older;
  }

  set(key: string, value: T, bytes: number): void {
    this.#young.set(key, value);
    this.#bytes += bytes;
    if (this.#bytes < this.#bytesMax / 2) return;
    this.#old = this.#young;
    this.#young = new Map();
    this.#bytes = 0;
  }
}

/**
 * Verified accounts by state root and slots by storage root, in memory with a byte limit. A root names one state, so no entry becomes
 * stale. Slots serve later blocks while the storage root of their account is the same.
 */
export class ProvenValues {
  readonly #accounts: Generations<ProvenAccount | 'absent'>;
  readonly #slots: Generations<Uint8Array>;

  constructor({ bytesMax }: { readonly bytesMax: number }) {
    this.#accounts = new Generations(bytesMax / 2);
    this.#slots = new Generations(bytesMax / 2);
  }

  /** @param key state root and address */
  account(key: string): ProvenAccount | 'absent' | undefined {
    return this.#accounts.get(key, accountBytes);
  }

  setAccount(key: string, account: ProvenAccount | 'absent'): void {
    this.#accounts.set(key, account, accountBytes);
  }

  /** @param key storage root and slot */
  slot(key: string): Uint8Array | undefined {
    return this.#slots.get(key, slotBytes);
  }

  setSlot(key: string, value: Uint8Array): void {
    this.#slots.set(key, value, slotBytes);
  }
}
