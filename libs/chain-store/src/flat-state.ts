// Hot path: every account and slot that a call reads costs one seek here, at any height. flat-state.bench.ts measures it.
import { type AccountState, CorruptBlockError, hexFromBytes, type StateReader } from '@cairn/block-model';
import { keccak256 } from '@cairn/cid';
import type { Database } from '@cairn/embedded-store';
import { AbsentSlots } from './absent-slots.ts';
import { type AccountRecord, decodeAccountRecord, heightKey, slotPrefix, type Tables } from './tables.ts';

const empty = new Uint8Array(0);
const emptyCodeHash = hexFromBytes(keccak256(empty));

/** Accounts that one reader caches, a few hundred bytes each. Calls read many slots of few accounts. */
const recordsMax = 1_000;

/** A state with the stored records of accounts and slots. */
export interface RecordReader extends StateReader {
  /** Returns the account with its incarnation; `undefined` for an account that never existed. */
  record(address: Uint8Array): AccountRecord | undefined;
  /** Returns the value of a slot of an incarnation, also when the account does not exist. */
  slotOf(address: Uint8Array, incarnation: number, slot: Uint8Array): Uint8Array;
}

/** State after the block at a height of the canonical chain, from the flat tables. */
export class FlatState implements RecordReader {
  readonly #tables: Pick<Tables, 'accounts' | 'slots' | 'codes'>;
  /** Key of the height plus one, since the end of a range is exclusive. */
  readonly #end: Buffer;
  readonly #records = new Map<string, AccountRecord | undefined>();
  readonly #absent = new AbsentSlots();
  /** Address of the last read: calls read many slots of one account in a row. */
  #lastAddress = Buffer.alloc(0);
  #lastRecord: AccountRecord | undefined;

  constructor(tables: Pick<Tables, 'accounts' | 'slots' | 'codes'>, height: bigint) {
    this.#tables = tables;
    this.#end = heightKey(height + 1n);
  }

  getAccount(address: Uint8Array): AccountState | undefined {
    return this.record(address)?.state;
  }

  record(address: Uint8Array): AccountRecord | undefined {
    if (address.length === this.#lastAddress.length && this.#lastAddress.equals(address)) return this.#lastRecord;
    this.#lastRecord = this.#find(address);
    this.#lastAddress = Buffer.from(address);
    return this.#lastRecord;
  }

  #find(address: Uint8Array): AccountRecord | undefined {
    const key = hexFromBytes(address);
    if (this.#records.has(key)) return this.#records.get(key);
    const found = this.#latest(this.#tables.accounts, address);
    const record = found && decodeAccountRecord(found);
    if (this.#records.size >= recordsMax) this.#records.clear();
    this.#records.set(key, record);
    return record;
  }

  getStorage(address: Uint8Array, slot: Uint8Array): Uint8Array {
    const record = this.record(address);
    if (record?.state === undefined) return empty;
    return this.slotOf(address, record.incarnation, slot);
  }

  slotOf(address: Uint8Array, incarnation: number, slot: Uint8Array): Uint8Array {
    const prefix = slotPrefix(address, incarnation, slot);
    const slotAt = prefix.length - slot.length;
    const contract = prefix.toString('latin1', 0, slotAt);
    const name = prefix.toString('latin1', slotAt);
    if (this.#absent.has(contract, name)) return empty;
    const end = this.#endOf(prefix);
    // From the first slot of the contract, so that a slot without a record also shows the gap around it.
    const found = this.#tables.slots.last({ start: prefix.subarray(0, slotAt), end });
    const foundName = found === undefined ? '' : Buffer.from(found.key).toString('latin1', slotAt, prefix.length);
    if (found !== undefined && foundName === name) return found.value;
    this.#absent.add(contract, foundName, name);
    return empty;
  }

  getCode(codeHash: Uint8Array): Uint8Array {
    const name = hexFromBytes(codeHash);
    if (name === emptyCodeHash) return empty;
    const code = this.#tables.codes.get(codeHash);
    if (code === undefined) throw new CorruptBlockError('of the state', 'code', name, 'missing');
    const actual = hexFromBytes(keccak256(code));
    if (actual !== name) throw new CorruptBlockError('of the state', 'code', name, actual);
    return code;
  }

  #latest(table: Database, prefix: Uint8Array): Uint8Array | undefined {
    return table.last({ start: prefix, end: this.#endOf(prefix) })?.value;
  }

  /** End of the records of a key that are not above the height. */
  #endOf(prefix: Uint8Array): Buffer {
    const end = Buffer.allocUnsafe(prefix.length + this.#end.length);
    end.set(prefix);
    end.set(this.#end, prefix.length);
    return end;
  }
}
