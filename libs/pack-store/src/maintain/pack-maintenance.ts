import type { ScrubReport } from '@cairn/blockstore';
import type { CID } from '@cairn/cid';
import { PackError } from '../errors.ts';
import { packLimits } from '../limits.ts';
import {
  type DeleteOptions,
  deleteOrphanPacks,
  deleteRetiredPacks,
  type OrphanOptions,
  type OrphanReport,
} from './delete-packs.ts';
import { liveKeys } from './live-keys.ts';
import type { MaintenanceOptions, MaintenanceParts } from './maintenance-parts.ts';
import { type ReindexOptions, type ReindexReport, reindexPacks } from './reindex-packs.ts';
import { type RewriteReport, rewritePacks } from './rewrite-packs.ts';
import { type ScrubPacksOptions, scrubPacks, scrubUnderLease } from './scrub-packs.ts';

/** Work on the packs of a store beside requests. Any process may do it, also several concurrently. */
export interface PackMaintenance {
  /** Copies live blocks of packs that are less than half live. Call it after a collection. */
  rewrite(options?: MaintenanceOptions): Promise<RewriteReport>;
  /** Deletes the bytes of packs that have had no live block for the grace period. @throws PACK_GRACE_TOO_SHORT */
  deleteRetired(options: DeleteOptions): Promise<{ readonly packs: number; readonly bytes: number }>;
  /** Compares the inventory with the index and deletes packs of ended writers. It lists the bucket: call it daily. @throws PACK_GRACE_TOO_SHORT */
  deleteOrphans(options: OrphanOptions): Promise<OrphanReport>;
  /** Verifies every live block and quarantines corrupt ones. */
  scrub(options: ScrubPacksOptions): Promise<ScrubReport>;
  /**
   * Verifies live blocks and quarantines corrupt ones, in one process at a time. Continues an unfinished scrub. Returns
   * `undefined` while another process scrubs, and for a minute after it. @throws SCRUB_LEASE_LOST
   */
  scrubUnderLease(options: ScrubPacksOptions): Promise<ScrubReport | undefined>;
  /**
   * Lists live blocks in lists of up to 4 MiB, in the order of their bytes, so that `getMany` reads a list in one or a few requests.
   * Quarantined blocks are left out.
   */
  liveKeys(options?: MaintenanceOptions): AsyncIterable<readonly CID[]>;
  /** Adds packs of the bucket that the index does not have. */
  reindex(options?: ReindexOptions): Promise<ReindexReport>;
}

/** Creates the maintenance of a pack store. */
export function createMaintenance(parts: MaintenanceParts): PackMaintenance {
  return {
    rewrite: (options) => rewritePacks(parts, options),
    deleteRetired: async (options) => deleteRetiredPacks(parts, graceChecked(options)),
    deleteOrphans: async (options) => deleteOrphanPacks(parts, graceChecked(options)),
    scrub: (options) => scrubPacks(parts, options),
    scrubUnderLease: (options) => scrubUnderLease(parts, options),
    liveKeys: (options) => liveKeys(parts, options),
    reindex: (options) => reindexPacks(parts, options),
  };
}

/** Refuses a grace period in which a writer may still record a pack, or a reader may still read one. */
function graceChecked<Options extends DeleteOptions>(options: Options): Options {
  const { graceSecondsMin } = packLimits;
  if (options.graceSeconds >= graceSecondsMin) return options;
  throw new PackError('PACK_GRACE_TOO_SHORT', `The grace period of packs is ${options.graceSeconds} seconds.`, {
    hint: `Choose at least ${graceSecondsMin} seconds: a failed upload may be repeated for that time.`,
    details: { graceSeconds: options.graceSeconds, graceSecondsMin },
  });
}
