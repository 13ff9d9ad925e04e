import { type AccountState, hexFromBytes } from '@cairn/block-model';
import type { RecordReader } from './flat-state.ts';
import type { StateChange } from './state-changes.ts';
import { type AccountRecord, decodeAccountRecord, slotPrefix } from './tables.ts';

const empty = new Uint8Array(0);

/**
 * State after a block of a branch: the changes of the branch over the state of the block where it leaves the canonical chain.
 */
export class BranchState implements RecordReader {
  readonly #base: RecordReader;
  readonly #accounts = new Map<string, AccountRecord>();
  readonly #slots = new Map<string, Uint8Array>();

  /** @param changes changes of the branch's blocks, oldest first */
  constructor(base: RecordReader, changes: Iterable<StateChange>) {
    this.#base = base;
    for (const { table, key, value } of changes) {
      if (table === 'accounts') this.#accounts.set(hexFromBytes(key), decodeAccountRecord(value));
      else this.#slots.set(hexFromBytes(key), value);
    }
  }

  getAccount(address: Uint8Array): AccountState | undefined {
    return this.record(address)?.state;
  }

  record(address: Uint8Array): AccountRecord | undefined {
    return this.#accounts.get(hexFromBytes(address)) ?? this.#base.record(address);
  }

  getStorage(address: Uint8Array, slot: Uint8Array): Uint8Array {
    const record = this.record(address);
    return record?.state === undefined ? empty : this.slotOf(address, record.incarnation, slot);
  }

  slotOf(address: Uint8Array, incarnation: number, slot: Uint8Array): Uint8Array {
    const changed = this.#slots.get(hexFromBytes(slotPrefix(address, incarnation, slot)));
    return changed ?? this.#base.slotOf(address, incarnation, slot);
  }

  getCode(codeHash: Uint8Array): Uint8Array {
    return this.#base.getCode(codeHash);
  }
}
