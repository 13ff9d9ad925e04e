import {
  type AccountChange,
  bigintFromBytes,
  bytesFromBigint,
  bytesFromHex,
  CorruptBlockError,
  decodeRlp,
  encodeBlock,
  encodeRlp,
  type Header,
  type Hex,
  hexFromBytes,
  type RlpItem,
} from '@cairn/block-model';
import { encodeRlpList } from '@cairn/rlp';
import { isEmptyTrieRoot } from '@cairn/trie';
import type { ChainStore } from '../chain-store.ts';
import { decodeChanges } from '../state-changes.ts';
import { type AccountRecord, decodeAccountRecord, heightKey } from '../tables.ts';
import { snapshotLimits } from './manifest.ts';

/** Newest blocks of a chain, whose states differ from the base by their stored changes. */
export interface RecentSpan {
  /** Newest block whose state is written whole. */
  readonly base: Header;
  /** Blocks after the base up to the head, oldest first. */
  readonly blocks: readonly Hex[];
}

/** Walks from the head to the oldest block with stored changes, at most `states` blocks. */
export function recentSpan(store: ChainStore, states: number = snapshotLimits.recentBlocksMax): RecentSpan {
  const length = Math.min(states, snapshotLimits.recentBlocksMax);
  const blocks: Hex[] = [];
  let header = requireHeader(store, store.head.hash);
  while (header.number > store.stateFrom && blocks.length < length) {
    if (store.tables.changes.get(bytesFromHex(header.hash)) === undefined) break;
    blocks.push(header.hash);
    header = requireHeader(store, header.parentHash);
  }
  return { base: header, blocks: blocks.reverse() };
}

/**
 * Yields `[block, receipts, changes]` for each block of a span. A change is `[address, account, isCleared, slots]`.
 * @throws BLOCK_CORRUPT also when a growing chain removed changes since {@link recentSpan}
 */
export function* recentRecords(store: ChainStore, { base, blocks }: RecentSpan): Generator<Uint8Array> {
  const { tables } = store;
  // Accounts of these blocks; memory depends on the changes of 1,024 blocks.
  const known = new Map<Hex, AccountTrace>();
  const end = heightKey(base.number + 1n);
  const before = (address: Uint8Array): AccountTrace => {
    const recent = known.get(hexFromBytes(address));
    if (recent !== undefined) return recent;
    const found = tables.accounts.last({ start: address, end: Buffer.concat([address, end]) });
    return traceOf(found && decodeAccountRecord(found.value));
  };
  for (const hash of blocks) {
    const block = store.block(hash);
    const receipts = store.receipts(hash) && tables.receipts.get(bytesFromHex(hash));
    const changes = tables.changes.get(bytesFromHex(hash));
    if (!block || !receipts || !changes)
      throw new CorruptBlockError(hash, 'changes', 'the changes of the block', 'missing');
    const items: RlpItem[] = [];
    for (const { address, record, slots } of changesByAccount(changes)) {
      const { incarnation, hasStorage } = before(address);
      const isCleared = hasStorage && record.incarnation > incarnation;
      known.set(hexFromBytes(address), traceOf(record));
      items.push([address, accountItem(record), Uint8Array.of(isCleared ? 1 : 0), slots]);
    }
    yield encodeRlpList([encodeBlock(block), receipts, encodeRlp(items)]);
  }
}

interface AccountTrace {
  readonly incarnation: number;
  readonly hasStorage: boolean;
}

function traceOf(record: AccountRecord | undefined): AccountTrace {
  const root = record?.state?.storageRoot;
  return { incarnation: record?.incarnation ?? 0, hasStorage: root !== undefined && !isEmptyTrieRoot(root) };
}

function accountItem({ state }: AccountRecord): RlpItem[] {
  return state ? [bytesFromBigint(state.nonce), bytesFromBigint(state.balance), state.codeHash] : [];
}

interface ChangedAccount {
  readonly address: Uint8Array;
  readonly record: AccountRecord;
  readonly slots: RlpItem[];
}

/** Groups the stored changes of a block by account. Slots of an emptied storage are omitted. */
function changesByAccount(bytes: Uint8Array): Iterable<ChangedAccount> {
  const accounts = new Map<Hex, ChangedAccount>();
  const changes = decodeChanges(bytes);
  for (const { table, key, value } of changes)
    if (table === 'accounts')
      accounts.set(hexFromBytes(key), { address: key, record: decodeAccountRecord(value), slots: [] });
  for (const { table, key, value } of changes) {
    if (table !== 'slots') continue;
    const account = accounts.get(hexFromBytes(key.subarray(0, 20)));
    const incarnation = Buffer.from(key.buffer, key.byteOffset, key.length).readUInt32BE(20);
    if (account?.record.incarnation === incarnation) account.slots.push([key.subarray(24), value]);
  }
  return accounts.values();
}

/** Reads the changes of a record of {@link recentRecords}. @throws DECODE_FAILED, Error */
export function decodeRecentChanges(bytes: Uint8Array): AccountChange[] {
  return listOf(decodeRlp('changes', bytes)).map((item) => {
    const [address, account, flag, slots] = listOf(item);
    const [nonce, balance, codeHash, ...rest] = listOf(account);
    const isDeleted = nonce === undefined;
    const cleared = bytesOf(flag);
    if (rest.length > 0 || cleared.length !== 1 || (cleared[0] as number) > 1)
      throw new Error('a change has other fields');
    return {
      address: bytesOf(address, 20),
      account: isDeleted
        ? undefined
        : {
            nonce: bigintFromBytes(bytesOf(nonce)),
            balance: bigintFromBytes(bytesOf(balance)),
            codeHash: bytesOf(codeHash, 32),
          },
      isStorageCleared: cleared[0] === 1,
      slots: listOf(slots).map((pair) => {
        const [slot, value] = listOf(pair);
        return [bytesOf(slot, 32), bytesOf(value)] as const;
      }),
    };
  });
}

function listOf(item: RlpItem | undefined): readonly RlpItem[] {
  if (!Array.isArray(item)) throw new Error('a change has bytes or nothing instead of a list');
  return item;
}

function bytesOf(item: RlpItem | undefined, length?: number): Uint8Array {
  if (!(item instanceof Uint8Array)) throw new Error('a change has a list or nothing instead of bytes');
  if (length !== undefined && item.length !== length)
    throw new Error(`a field has ${item.length} bytes, not ${length}`);
  return item;
}

function requireHeader(store: ChainStore, hash: Hex): Header {
  const header = store.header(hash);
  if (header === undefined) throw new CorruptBlockError(hash, 'header', 'its header', 'missing');
  return header;
}
