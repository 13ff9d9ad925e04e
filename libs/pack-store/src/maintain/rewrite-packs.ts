import type { MovedEntry } from '../index/block-rows.ts';
import { blockKey } from '../index/multihash.ts';
import { liveBlocksOf } from './live-blocks.ts';
import type { MaintenanceOptions, MaintenanceParts } from './maintenance-parts.ts';

export interface RewriteReport {
  /** Packs that were read. */
  readonly packs: number;
  /** Blocks that moved to new packs. */
  readonly blocks: number;
  /** Blocks that are now in quarantine. */
  readonly corrupt: number;
}

const packsPerRound = 16;

/**
 * Copies the live blocks of packs that are less than half live to new packs. The old packs then have no live block, and their
 * bytes are deleted after the grace period of readers. A new pack whose process ends before its blocks move is an orphan.
 */
export async function rewritePacks(
  parts: MaintenanceParts,
  { signal }: MaintenanceOptions = {},
): Promise<RewriteReport> {
  const { index, createWriter } = parts;
  const report = { packs: 0, blocks: 0, corrupt: 0 };
  /** Numbers of the packs that the blocks of the running round leave. */
  const from = new Map<string, number>();
  const writer = createWriter(async (pack) => {
    const moved = pack.entries.flatMap((entry): MovedEntry[] => {
      const id = from.get(blockKey(entry.cid));
      return id === undefined ? [] : [{ ...entry, from: id }];
    });
    report.blocks += await index.blocks.move(pack, moved);
  });
  try {
    for (;;) {
      const packs = await index.packs.takeSparse(packsPerRound);
      for (const pack of packs) {
        for await (const { blocks, corrupt } of liveBlocksOf(parts, pack, signal ? { signal } : {})) {
          for (const location of corrupt) await index.blocks.quarantineAt(location);
          for (const { cid } of blocks) from.set(blockKey(cid), pack.id);
          await writer.add(blocks, 0);
          report.corrupt += corrupt.length;
        }
        report.packs++;
      }
      await writer.flush();
      from.clear();
      if (packs.length < packsPerRound) return report;
    }
  } finally {
    await writer.close();
  }
}
