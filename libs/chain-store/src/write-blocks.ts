import { bytesFromBigint, bytesFromHex, encodeBody, type Header, type Hex, hexFromBytes } from '@cairn/block-model';
import type { ExecutedBlock } from './block-executor.ts';
import type { TableWrite } from './import-state.ts';
import { heightKey, metaKeys, type Tables } from './tables.ts';

/** A block that was executed, and what it does to the state. */
export interface PendingBlock extends ExecutedBlock {
  readonly writes: readonly TableWrite[];
}

/**
 * Writes whole blocks in one transaction.
 * @returns false, with nothing written, when the chain's head is not the parent of the first block any more
 */
export function writeBlocks(tables: Tables, blocks: readonly PendingBlock[]): Promise<boolean> {
  return tables.environment.transaction(() => {
    const first = blocks[0]?.block.header;
    const head = tables.meta.get(metaKeys.head);
    if (!first || !head || hexFromBytes(head.subarray(0, 32)) !== first.parentHash) return false;
    let totalDifficulty = totalDifficultyOf(tables, first.parentHash);
    for (const { block, receipts, writes } of blocks) {
      writeState(tables, writes);
      totalDifficulty += block.header.difficulty;
      const transactions = block.transactions.map(({ hash }) => hash);
      writeBlock(tables, { header: block.header, body: encodeBody(block), receipts, totalDifficulty, transactions });
    }
    return true;
  });
}

function totalDifficultyOf(tables: Tables, hash: Hex): bigint {
  return BigInt(hexFromBytes(tables.difficulties.get(bytesFromHex(hash)) ?? Uint8Array.of(0)));
}

/** Writes what a block does to the state. Inside a transaction. */
export function writeState(tables: Tables, writes: readonly TableWrite[]): void {
  for (const { table, key, value } of writes) tables[table].put(key, value);
}

interface BlockWrite {
  readonly header: Header;
  readonly body: Uint8Array;
  readonly receipts: Uint8Array;
  readonly totalDifficulty: bigint;
  readonly transactions: readonly Hex[];
}

/** Writes a block as content and makes it the head. Inside a transaction. */
export function writeBlock(
  tables: Tables,
  { header, body, receipts, totalDifficulty, transactions }: BlockWrite,
): void {
  const hash = bytesFromHex(header.hash);
  tables.headers.put(hash, header.raw);
  tables.bodies.put(hash, body);
  tables.receipts.put(hash, receipts);
  tables.difficulties.put(hash, totalDifficulty === 0n ? Uint8Array.of(0) : bytesFromBigint(totalDifficulty));
  tables.canonical.put(heightKey(header.number), hash);
  for (const [index, transaction] of transactions.entries()) {
    const place = Buffer.alloc(4);
    place.writeUInt32BE(index);
    tables.transactions.put(bytesFromHex(transaction), Buffer.concat([hash, place]));
  }
  tables.meta.put(metaKeys.head, Buffer.concat([hash, heightKey(header.number)]));
}
