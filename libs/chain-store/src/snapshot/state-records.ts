import { setImmediate as nextTurn } from 'node:timers/promises';
import {
  bytesFromBigint,
  CorruptBlockError,
  encodeRlp,
  encodeStateAccount,
  type Header,
  hexFromBytes,
} from '@cairn/block-model';
import { keccak256 } from '@cairn/cid';
import { SortedTrie } from '@cairn/trie';
import { decodeAccountRecord, heightKey, type Tables } from '../tables.ts';
import { entriesInBatches } from './batches.ts';
import { RecordSorter } from './record-sorter.ts';

/** Slot with its hash: hash, slot, length of the value, value. */
const slotRecordBytes = 32 + 32 + 1 + 32;
const accountsPerTurn = 1_000;

/**
 * Yields the accounts of the state after a canonical block, in the order of their hashes. An account is
 * `[address, nonce, balance, codeHash]`; its slots `[slot, value]` follow in the order of their hashes. Entries at or below the
 * height never change, so no read transaction stays open.
 * @throws BLOCK_CORRUPT when the flat tables do not match the state root
 */
export async function* stateRecords(
  tables: Tables,
  header: Header,
  directory: string,
  onAccount: (done: number, total: number) => void,
): AsyncGenerator<Uint8Array> {
  const addresses = new RecordSorter({ directory, recordBytes: 52 });
  const accounts = new SortedTrie();
  try {
    const total = await collectAddresses(tables, header.number, addresses);
    let done = 0;
    for await (const entry of addresses.sorted()) {
      const address = entry.subarray(32);
      const record = recordAt(tables, address, header.number);
      const state = record?.state;
      if (record === undefined || state === undefined) continue;
      const { nonce, balance, codeHash } = state;
      yield encodeRlp([address, bytesFromBigint(nonce), bytesFromBigint(balance), codeHash]);
      const storage = new SortedTrie();
      for await (const slot of slotsOf(tables, address, record.incarnation, header.number, directory)) {
        storage.add(slot.hash, encodeRlp(slot.value));
        yield encodeRlp([slot.slot, slot.value]);
      }
      accounts.add(entry.subarray(0, 32), encodeStateAccount({ ...state, storageRoot: storage.root() }));
      onAccount(++done, total);
      if (done % accountsPerTurn === 0) await nextTurn();
    }
  } finally {
    await addresses.close();
  }
  const root = hexFromBytes(accounts.root());
  if (root !== header.stateRoot) throw new CorruptBlockError(header.hash, 'stateRoot', header.stateRoot, root);
}

/** Adds the accounts that exist at a height. @returns their number */
async function collectAddresses({ accounts }: Tables, height: bigint, sorter: RecordSorter): Promise<number> {
  let total = 0;
  let latest: { readonly address: Buffer; value: Uint8Array } | undefined;
  const add = async () => {
    if (latest === undefined || decodeAccountRecord(latest.value).state === undefined) return;
    total++;
    await sorter.add(Buffer.concat([keccak256(latest.address), latest.address]));
  };
  for await (const { key, value } of entriesInBatches(accounts)) {
    const entry = Buffer.from(key.buffer, key.byteOffset, key.length);
    if (entry.readBigUInt64BE(20) > height) continue;
    const address = entry.subarray(0, 20);
    if (latest?.address.equals(address)) latest.value = value;
    else {
      await add();
      latest = { address, value };
    }
  }
  await add();
  return total;
}

function recordAt({ accounts }: Tables, address: Uint8Array, height: bigint) {
  const found = accounts.last({ start: address, end: Buffer.concat([address, heightKey(height + 1n)]) });
  return found && decodeAccountRecord(found.value);
}

async function* slotsOf(
  { slots }: Tables,
  address: Uint8Array,
  incarnation: number,
  height: bigint,
  directory: string,
): AsyncGenerator<{ readonly hash: Uint8Array; readonly slot: Uint8Array; readonly value: Uint8Array }> {
  const prefix = Buffer.alloc(24);
  prefix.set(address);
  prefix.writeUInt32BE(incarnation, 20);
  let sorter: RecordSorter | undefined;
  let latest: { readonly slot: Buffer; value: Uint8Array } | undefined;
  const add = async () => {
    if (latest === undefined || latest.value.length === 0) return;
    const { slot, value } = latest;
    const record = Buffer.alloc(slotRecordBytes);
    record.set(keccak256(slot));
    record.set(slot, 32);
    record[64] = value.length;
    record.set(value, 65);
    sorter ??= new RecordSorter({ directory, recordBytes: slotRecordBytes });
    await sorter.add(record);
  };
  try {
    for await (const { key, value } of entriesInBatches(slots, prefix)) {
      const entry = Buffer.from(key.buffer, key.byteOffset, key.length);
      if (entry.readBigUInt64BE(56) > height) continue;
      const slot = entry.subarray(24, 56);
      if (latest?.slot.equals(slot)) latest.value = value;
      else {
        await add();
        latest = { slot, value };
      }
    }
    await add();
    if (sorter === undefined) return;
    for await (const record of sorter.sorted())
      yield {
        hash: record.subarray(0, 32),
        slot: record.subarray(32, 64),
        value: record.subarray(65, 65 + (record[64] as number)),
      };
  } finally {
    await sorter?.close();
  }
}
