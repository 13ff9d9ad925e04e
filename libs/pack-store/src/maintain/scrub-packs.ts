import { setTimeout as wait } from 'node:timers/promises';
import type { ScrubReport } from '@cairn/blockstore';
import type { CID } from '@cairn/cid';
import { PackError } from '../errors.ts';
import { cidOfMultihash, multihashAfter } from '../index/multihash.ts';
import type { PackRow } from '../index/pack-rows.ts';
import type { BlockLocation, PackReader } from '../types.ts';
import { isCorruption, isMissing, liveBlocksOf } from './live-blocks.ts';
import type { MaintenanceOptions, MaintenanceParts } from './maintenance-parts.ts';

export interface ScrubPacksOptions extends MaintenanceOptions {
  /** Average number of bytes to read per second. */
  readonly bytesPerSecond: number;
  /** Called with each corrupt block after it was quarantined. */
  readonly onCorrupt?: (cid: CID) => void;
}

const packsPerPage = 256;
/** Milliseconds between two renewals of the lease. */
const renewEveryMs = 10_000;
const quarantinedPerPage = 256;
/** Missing packs at the start of a run after which the bucket counts as a wrong one. */
const missingMax = 256;

/**
 * Verifies live blocks under the lease of the scrub, from the place where the last scrub stopped. Of several processes one
 * scrubs at a time. Returns `undefined` while another process has the lease, or has had it in the last minute.
 * @throws SCRUB_LEASE_LOST, and the errors of a scrub
 */
export async function scrubUnderLease(
  parts: Pick<MaintenanceParts, 'index' | 'reader'>,
  options: ScrubPacksOptions,
): Promise<ScrubReport | undefined> {
  const { scrubLease } = parts.index;
  let after = await scrubLease.take();
  if (after === undefined) return undefined;
  const lost = new AbortController();
  const renew = async () => {
    if (!(await scrubLease.renew(after ?? 0)))
      lost.abort(new PackError('SCRUB_LEASE_LOST', 'Another process scrubs now.', { hint: 'Start a scrub later.' }));
  };
  // A failed renewal is repeated. Until the lease ends, no other process takes it.
  const timer = setInterval(() => void renew().catch(() => {}), renewEveryMs).unref();
  const signal = options.signal ? AbortSignal.any([options.signal, lost.signal]) : lost.signal;
  try {
    const onPack = (id: number) => {
      after = id;
    };
    const report = await scrubPacks(parts, { ...options, after, onPack, signal });
    after = 0;
    return report;
  } catch (error) {
    // Timers replace the reason of the signal by an error of their own.
    signal.throwIfAborted();
    throw error;
  } finally {
    clearInterval(timer);
    await renew().catch(() => {});
  }
}

/**
 * Ends the quarantine of blocks whose bytes match again: the network had damaged them, or their pack was restored. Blocks that still
 * do not match stay in quarantine. @throws errors of the object store
 */
async function releaseSound(
  { index, reader }: Pick<MaintenanceParts, 'index' | 'reader'>,
  { bytesPerSecond, signal }: ScrubPacksOptions,
): Promise<void> {
  const options = signal ? { signal } : {};
  for (let from: Uint8Array | undefined; ; ) {
    const page = await index.blocks.quarantinedPlaces(from, quarantinedPerPage);
    for (const { multihash, pack, start, length } of page) {
      const location = { cid: cidOfMultihash(multihash), pack, offset: start, length };
      if (await isSound(reader, location, options)) await index.blocks.releaseAt(location);
      await wait((length / bytesPerSecond) * 1000, undefined, options);
    }
    const last = page.at(-1);
    if (last === undefined || page.length < quarantinedPerPage) return;
    from = multihashAfter(last.multihash);
  }
}

async function isSound(reader: PackReader, location: BlockLocation, options: MaintenanceOptions): Promise<boolean> {
  try {
    await reader.get(location, options);
    return true;
  } catch (error) {
    if (isMissing(error) || isCorruption(error)) return false;
    throw error;
  }
}

/**
 * Verifies every live block once, pack by pack in large ranges, and quarantines corrupt ones. Putting a block again repairs it. A
 * block that matches again leaves the quarantine.
 * Blocks of a missing pack are quarantined too, if this run has verified any other block: in a wrong bucket all packs are missing.
 * @throws OBJECT_NOT_FOUND where no block exists
 */
export async function scrubPacks(
  parts: Pick<MaintenanceParts, 'index' | 'reader'>,
  {
    bytesPerSecond,
    onCorrupt,
    signal,
    after: start = 0,
    onPack,
  }: ScrubPacksOptions & { readonly after?: number; readonly onPack?: (id: number) => void },
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
  await releaseSound(parts, { bytesPerSecond, ...options });
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
  for (let after = start; ; ) {
    const page = await packs.livePage(after, packsPerPage);
    for (const pack of page) {
      await scrubPack(pack);
      // Missing packs are visited again at the end, so an interrupted run starts again before them.
      if (missing.length === 0) onPack?.(pack.id);
    }
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
