import { bytesFromBigint, bytesFromHex, encodeBody, type Header, type Hex, hexFromBytes } from '@cairn/block-model';
import type { ExecutedBlock } from './block-executor.ts';
import { type ChainContent, extendChain, headOf, reorgTo } from './canonical-chain.ts';
import type { StateWrites } from './import-state.ts';
import { encodeChanges } from './state-changes.ts';
import { heightKey, type Tables } from './tables.ts';

/** Largest depth of a reorg in blocks below the head. No network had a deeper one. */
export const branchDepthMax = 1_024n;

/** An executed block with its changes of the state. */
export interface PendingBlock extends ExecutedBlock {
  readonly writes: StateWrites;
}

/**
 * Writes whole blocks in one transaction. A child of the head becomes the head. A block of another branch becomes the head when
 * its total difficulty is higher, or equal with a greater height.
 * @param onWritten called before the commit, when its writes are complete
 * @returns number and gas of the blocks that were new
 */
export function writeBlocks(
  tables: Tables,
  blocks: readonly PendingBlock[],
  onWritten: () => void,
): Promise<{ readonly blocks: number; readonly gas: bigint }> {
  return tables.environment.transaction(() => {
    let written = 0;
    let gas = 0n;
    let head = headOf(tables);
    let last: { readonly hash: Hex; readonly totalDifficulty: bigint } | undefined;
    for (const pending of blocks) {
      const { header } = pending.block;
      // Another process may have written this block.
      if (tables.headers.get(bytesFromHex(header.hash)) !== undefined) continue;
      written++;
      gas += header.gasUsed;
      const { parentHash } = header;
      // Most blocks follow the one that was just written.
      const before = last?.hash === parentHash ? last.totalDifficulty : totalDifficultyOf(tables, parentHash);
      const totalDifficulty = before + header.difficulty;
      writeContent(tables, { ...pending, header, body: encodeBody(pending.block), totalDifficulty });
      last = { hash: header.hash, totalDifficulty };
      if (head?.hash === parentHash) {
        extendChain(tables, header, contentOf(pending));
        head = header;
      } else if (head && isBetter(tables, { header, totalDifficulty }, head)) {
        reorgTo(tables, header.hash);
        head = headOf(tables);
      }
    }
    if (head) forgetChanges(tables, head.number - branchDepthMax);
    onWritten();
    return { blocks: written, gas };
  });
}

function contentOf({ block, logs, writes }: PendingBlock): ChainContent {
  return {
    changes: writes.changes,
    transactions: block.transactions.map(({ hash }) => hash),
    logs,
  };
}

function isBetter(
  tables: Tables,
  { header, totalDifficulty }: { readonly header: Header; readonly totalDifficulty: bigint },
  head: { readonly hash: Hex; readonly number: bigint },
): boolean {
  const current = totalDifficultyOf(tables, head.hash);
  return totalDifficulty > current || (totalDifficulty === current && header.number > head.number);
}

function totalDifficultyOf(tables: Tables, hash: Hex): bigint {
  return BigInt(hexFromBytes(tables.difficulties.get(bytesFromHex(hash)) ?? Uint8Array.of(0)));
}

/** Deletes changes of canonical blocks that are too old for a reorg. The flat tables contain their results. */
function forgetChanges(tables: Tables, below: bigint): void {
  for (let number = below; number > 0n; number--) {
    const hash = tables.canonical.get(heightKey(number));
    if (hash === undefined || !tables.changes.remove(hash)) return;
  }
}

interface BlockContent {
  readonly header: Header;
  readonly body: Uint8Array;
  readonly receipts: Uint8Array;
  readonly totalDifficulty: bigint;
  readonly writes: StateWrites;
}

/** Writes header, body, receipts, difficulty and state of a block. Call it inside a transaction. */
export function writeContent(tables: Tables, { header, body, receipts, totalDifficulty, writes }: BlockContent): void {
  const hash = bytesFromHex(header.hash);
  tables.headers.put(hash, header.raw);
  tables.bodies.put(hash, body);
  tables.receipts.put(hash, receipts);
  tables.difficulties.put(hash, totalDifficulty === 0n ? Uint8Array.of(0) : bytesFromBigint(totalDifficulty));
  tables.changes.put(hash, encodeChanges(writes.changes));
  for (const { table, key, value } of writes.content) tables[table].put(key, value);
}
