import { isCairnError } from '@cairn/errors';
import { ownedEntries } from '../index/block-index.ts';
import { type MaintenanceOptions, type MaintenanceParts, packPrefix } from './maintenance-parts.ts';

export interface ReindexOptions extends MaintenanceOptions {
  /** Called after each pack. */
  readonly onProgress?: (report: ReindexReport) => void;
}

export interface ReindexReport {
  /** Packs in the bucket. */
  readonly packs: number;
  /** Packs that the index did not have. */
  readonly indexed: number;
  /** Keys of packs whose index cannot be read. At most 100. */
  readonly unreadable: readonly string[];
}

const keysPerRead = 256;
const unreadableMax = 100;

/**
 * Adds the packs of the bucket that have no row. Blocks of a rebuilt index count as shared and as put now, so that no account can
 * discard them alone, and a collection keeps them for the grace period. A block that several packs have is live in one of them.
 * An interrupted run is repeated.
 */
export async function reindexPacks(
  parts: Pick<MaintenanceParts, 'index' | 'objects' | 'readEntries'>,
  { signal, onProgress }: ReindexOptions = {},
): Promise<ReindexReport> {
  const { index, objects } = parts;
  const unreadable: string[] = [];
  const report = { packs: 0, indexed: 0, unreadable };
  const options = signal ? { signal } : {};
  let page: { key: string; bytes: number }[] = [];
  const flush = async () => {
    const known = await index.packs.known(page.map(({ key }) => key));
    for (const pack of page) {
      signal?.throwIfAborted();
      report.packs++;
      if (!known.has(pack.key)) {
        if (await reindexPack(parts, pack, options)) report.indexed++;
        else if (unreadable.length < unreadableMax) unreadable.push(pack.key);
      }
      onProgress?.(report);
    }
    page = [];
  };
  for await (const object of objects.list(packPrefix, options)) if (page.push(object) === keysPerRead) await flush();
  await flush();
  return report;
}

async function reindexPack(
  { index, readEntries }: Pick<MaintenanceParts, 'index' | 'readEntries'>,
  pack: { readonly key: string; readonly bytes: number },
  options: MaintenanceOptions,
): Promise<boolean> {
  try {
    const entries = await readEntries(pack, options);
    await index.blocks.record(
      { ...pack, entries },
      ownedEntries(
        entries,
        entries.map(() => []),
        new Set(),
      ),
    );
    return true;
  } catch (error) {
    // A pack that is being deleted has no named block.
    if (isCairnError(error, 'PACK_DELETED')) return true;
    if (isCairnError(error, 'PACK_CORRUPT') || isCairnError(error, 'OBJECT_NOT_FOUND')) return false;
    throw error;
  }
}
