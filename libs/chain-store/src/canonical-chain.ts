import {
  bigintFromBytes,
  bytesFromHex,
  decodeHeader,
  type Header,
  type Hex,
  hexFromBytes,
  joinBlock,
  type Log,
} from '@cairn/block-model';
import { BlockRefusedError } from './errors.ts';
import { indexLogs, unindexLogs } from './log-index.ts';
import { decodeReceipts } from './read-receipts.ts';
import { decodeChanges, type StateChange } from './state-changes.ts';
import { heightKey, metaKeys, type Tables } from './tables.ts';

/** A block of the canonical chain. */
export interface BlockPlace {
  readonly hash: Hex;
  readonly number: bigint;
}

/** Returns the newest block of the canonical chain. */
export function headOf(tables: Tables): BlockPlace | undefined {
  const found = tables.meta.get(metaKeys.head);
  return found && headFrom(found);
}

/** Decodes the record of the head. */
export function headFrom(record: Uint8Array): BlockPlace {
  return { hash: hexFromBytes(record.subarray(0, 32)), number: bigintFromBytes(record.subarray(32)) };
}

/** Makes a child of the head the new head: state, transactions and logs. Call it inside a transaction. */
export function extendChain(tables: Tables, header: Header, content: ChainContent = contentOf(tables, header)): void {
  const hash = bytesFromHex(header.hash);
  const height = heightKey(header.number);
  for (const { table, key, value } of content.changes) tables[table].put(Buffer.concat([key, height]), value);
  for (const [index, transaction] of content.transactions.entries()) {
    const place = Buffer.alloc(4);
    place.writeUInt32BE(index);
    tables.transactions.put(bytesFromHex(transaction), Buffer.concat([hash, place]));
  }
  indexLogs(tables.logs, header.number, content.logs);
  tables.canonical.put(height, hash);
  tables.meta.put(metaKeys.head, Buffer.concat([hash, height]));
}

/** Removes the head from the canonical chain; it stays as a block of a branch. Call it inside a transaction. */
function shortenChain(tables: Tables, header: Header, parent: Header): void {
  const hash = bytesFromHex(header.hash);
  const height = heightKey(header.number);
  const { changes, transactions, logs } = contentOf(tables, header);
  for (const { table, key } of changes) tables[table].remove(Buffer.concat([key, height]));
  for (const transaction of transactions) {
    const place = tables.transactions.get(bytesFromHex(transaction));
    if (place && Buffer.compare(place.subarray(0, 32), hash) === 0)
      tables.transactions.remove(bytesFromHex(transaction));
  }
  unindexLogs(tables.logs, header.number, logs);
  tables.canonical.remove(height);
  tables.meta.put(metaKeys.head, Buffer.concat([bytesFromHex(parent.hash), heightKey(parent.number)]));
}

/**
 * Makes any stored block the head: removes blocks down to the base of its branch, then adds the blocks of the branch. Call it
 * inside a transaction.
 * @throws BLOCK_REFUSED when the branch begins below the finalized block or before the oldest stored changes
 */
export function reorgTo(tables: Tables, hash: Hex): void {
  const { base, blocks } = branchOf(tables, hash);
  const finalized = tables.meta.get(metaKeys.finalized);
  const target = blocks.at(-1) ?? base;
  const floor = finalized ? requireHeader(tables, hexFromBytes(finalized)).number : 0n;
  if (base.number < floor) {
    const reason = `its branch leaves the chain at block ${base.number}, below the finalized block ${floor}`;
    throw new BlockRefusedError(target, reason);
  }
  let head = requireHeader(tables, headOf(tables)?.hash ?? hash);
  const isLeaving = head.hash !== base.hash;
  while (head.hash !== base.hash) {
    if (tables.changes.get(bytesFromHex(head.hash)) === undefined)
      throw new BlockRefusedError(target, `its branch leaves the chain at block ${base.number}, too far back`);
    const parent = requireHeader(tables, head.parentHash);
    shortenChain(tables, head, parent);
    head = parent;
  }
  for (const header of blocks) extendChain(tables, header);
  if (!isLeaving) return;
  tables.meta.put(metaKeys.generation, heightKey(generationOf(tables) + 1n));
  // The safe block may be on the abandoned branch.
  const safe = tables.meta.get(metaKeys.safe);
  if (safe && !isOnChain(tables, requireHeader(tables, hexFromBytes(safe)))) tables.meta.remove(metaKeys.safe);
}

/** Returns the number of reorgs of the chain. */
export function generationOf(tables: Tables): bigint {
  return bigintFromBytes(tables.meta.get(metaKeys.generation) ?? new Uint8Array(0));
}

/** Returns the canonical block where the branch of a block begins, and the blocks from there up to it; none if canonical. */
export function branchOf(tables: Tables, hash: Hex): { readonly base: Header; readonly blocks: readonly Header[] } {
  const blocks: Header[] = [];
  let header = requireHeader(tables, hash);
  while (!isOnChain(tables, header)) {
    blocks.push(header);
    header = requireHeader(tables, header.parentHash);
  }
  return { base: header, blocks: blocks.reverse() };
}

function isOnChain(tables: Tables, { hash, number }: Header): boolean {
  const found = tables.canonical.get(heightKey(number));
  return found !== undefined && hexFromBytes(found) === hash;
}

/** Returns the changes of a block to accounts and slots. @throws BLOCK_REFUSED when they are no longer stored */
export function changesOf(tables: Tables, header: Header): StateChange[] {
  const found = tables.changes.get(bytesFromHex(header.hash));
  if (found === undefined) throw new BlockRefusedError(header, 'its changes to the state are no longer stored');
  return decodeChanges(found);
}

function requireHeader(tables: Tables, hash: Hex): Header {
  const raw = tables.headers.get(bytesFromHex(hash));
  if (raw === undefined) throw new BlockRefusedError({ number: undefined, hash }, 'it is not stored');
  return decodeHeader(raw);
}

/** Entries of a block in the tables of the canonical chain. */
export interface ChainContent {
  readonly changes: readonly StateChange[];
  /** Hashes of transactions, in order. */
  readonly transactions: readonly Hex[];
  readonly logs: readonly Log[];
}

function contentOf(tables: Tables, header: Header): ChainContent {
  const hash = bytesFromHex(header.hash);
  const body = tables.bodies.get(hash);
  const receipts = tables.receipts.get(hash);
  return {
    changes: changesOf(tables, header),
    transactions: body ? joinBlock(header, body).transactions.map((transaction) => transaction.hash) : [],
    logs: receipts ? decodeReceipts(receipts).flatMap(({ logs }) => logs) : [],
  };
}
