import type { BlockRow } from './index/block-rows.ts';
import { packLimits } from './limits.ts';

interface Recent {
  readonly row: BlockRow;
  readonly until: number;
}

/**
 * Rows of blocks that were read lately, so that a read of hot content needs no statement. A block that another process removes or
 * moves is found here for at most `ageMsMax`: its bytes stay in the bucket for the grace period of its pack, which is longer.
 */
export class RecentRows {
  readonly #ageMsMax: number;
  readonly #now: () => number;
  /** In the order of their lookups, by the key of the block. */
  readonly #rows = new Map<string, Recent>();
  #forgotten = 0;

  /** @param ageMsMax milliseconds after which a row is looked up again; 0 for each time */
  constructor(ageMsMax: number, now: () => number = () => performance.now()) {
    this.#ageMsMax = ageMsMax;
    this.#now = now;
  }

  /** Number of calls of {@link forget} so far, for {@link keep}. */
  get forgotten(): number {
    return this.#forgotten;
  }

  get(key: string): BlockRow | undefined {
    const recent = this.#rows.get(key);
    return recent !== undefined && recent.until > this.#now() ? recent.row : undefined;
  }

  /**
   * Keeps a row that was looked up.
   * @param forgottenBefore `forgotten` before the lookup: a row that was removed meanwhile is not kept
   */
  keep(key: string, row: BlockRow, forgottenBefore: number): void {
    if (this.#ageMsMax === 0 || row.is_quarantined || forgottenBefore !== this.#forgotten) return;
    this.#rows.delete(key);
    this.#rows.set(key, { row, until: this.#now() + this.#ageMsMax });
    if (this.#rows.size <= packLimits.recentRowsMax) return;
    for (const oldest of this.#rows.keys()) {
      this.#rows.delete(oldest);
      return;
    }
  }

  /** Forgets blocks that this process has removed or quarantined. */
  forget(keys: readonly string[]): void {
    this.#forgotten++;
    for (const key of keys) this.#rows.delete(key);
  }
}
