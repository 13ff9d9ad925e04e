import { setTimeout as wait } from 'node:timers/promises';
import type { ScrubReport } from '@cairn/blockstore';
import type { CID } from '@cairn/cid';
import type { PackRow } from '../index/pack-rows.ts';
import type { BlockLocation } from '../types.ts';
import { liveBlocksOf } from './live-blocks.ts';
import type { MaintenanceOptions, MaintenanceParts } from './maintenance-parts.ts';

export interface ScrubPacksOptions extends MaintenanceOptions {
  /** Average number of bytes to read per second. */
  readonly bytesPerSecond: number;
  /** Called with each corrupt block after it was quarantined. */
  readonly onCorrupt?: (cid: CID) => void;
}

const packsPerPage = 256;
/** Missing packs at the start of a run after which the bucket counts as a wrong one. */
const missingMax = 256;

/**
 * Verifies every live block once, pack by pack in large ranges, and quarantines corrupt ones. Putting a block again repairs it.
 * Blocks of a missing pack are quarantined too, if this run has verified any other block: in a wrong bucket all packs are missing.
 * @throws OBJECT_NOT_FOUND where no block exists
 */
export async function scrubPacks(
  parts: Pick<MaintenanceParts, 'index' | 'reader'>,
  { bytesPerSecond, onCorrupt, signal }: ScrubPacksOptions,
): Promise<ScrubReport> {
  const { packs } = parts.index;
  const report = { blocks: 0, bytes: 0, corrupt: 0 };
  const options = signal ? { signal } : {};
  const quarantine = async (locations: readonly BlockLocation[]) => {
    for (const location of locations) {
      await parts.index.blocks.quarantineAt(location);
      report.corrupt++;
      onCorrupt?.(location.cid);
    }
  };
  const missing: PackRow[] = [];
  const scrubPack = async (pack: PackRow) => {
    for await (const batch of liveBlocksOf(parts, pack, options)) {
      report.blocks += batch.blocks.length;
      report.bytes += batch.bytes;
      await quarantine(batch.corrupt);
      if (batch.missing.length > 0 && report.blocks === 0) {
        if (missing.length === missingMax) await parts.reader.get(batch.missing[0] as BlockLocation);
        missing.push(pack);
        return;
      }
      await quarantine(batch.missing);
      await wait((batch.bytes / bytesPerSecond) * 1000, undefined, options);
    }
  };
  for (let after = 0; ; ) {
    const page = await packs.livePage(after, packsPerPage);
    for (const pack of page) await scrubPack(pack);
    const last = page.at(-1);
    if (last === undefined || page.length < packsPerPage) break;
    after = last.id;
  }
  for (const pack of missing) {
    if (report.blocks > 0) await scrubPack(pack);
    // Throws the error of the store.
    else
      for await (const {
        missing: [first],
      } of liveBlocksOf(parts, pack, options))
        if (first) await parts.reader.get(first);
  }
  return report;
}
