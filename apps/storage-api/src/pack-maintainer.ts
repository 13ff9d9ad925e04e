import { errorChain } from '@cairn/errors';
import type { Logger } from '@cairn/service-kit';
import type { packMaintenanceOf } from '@cairn/stores';

/** Maintenance of the packs of a bucket. */
export type Packs = NonNullable<ReturnType<typeof packMaintenanceOf>>;

const hourSeconds = 3600;
const orphansEveryMs = 24 * hourSeconds * 1000;

/**
 * Maintains packs after a collection, under its lease: rewrites sparse packs, deletes packs that have had no live block for an hour,
 * and once a day deletes packs of ended writers. The daily part lists the bucket.
 */
export class PackMaintainer {
  readonly #packs: Packs;
  readonly #logger: Pick<Logger, 'info' | 'error'>;
  /** Time of the next comparison of the bucket with the index. */
  #orphansAt = 0;

  constructor(packs: Packs, logger: Pick<Logger, 'info' | 'error'>) {
    this.#packs = packs;
    this.#logger = logger;
  }

  /** A failure is logged: the collection before it has succeeded, and the next run continues. */
  async run(signal: AbortSignal): Promise<void> {
    try {
      const rewritten = await this.#packs.rewrite({ signal });
      const deleted = await this.#packs.deleteRetired({ graceSeconds: hourSeconds, signal });
      this.#logger.info({ rewritten, deleted }, 'packs maintained');
      if (performance.now() < this.#orphansAt) return;
      const { missing, ...report } = await this.#packs.deleteOrphans({ graceSeconds: 24 * hourSeconds, signal });
      this.#orphansAt = performance.now() + orphansEveryMs;
      if (missing.length > 0)
        this.#logger.error({ ...report, missing }, 'packs with live blocks are not in the bucket');
      else this.#logger.info(report, 'the bucket was compared with the index');
    } catch (error) {
      if (!signal.aborted) this.#logger.error({ causes: errorChain(error) }, 'maintenance of packs failed');
    }
  }
}
