import type { CID } from '@cairn/cid';
import type { Environment } from '@cairn/embedded-store';
import type { BlockTables } from './block-tables.ts';
import type { SweepOptions, SweepStep } from './collectable.ts';
import { CycleOverError } from './errors.ts';
import type { IndexRecord } from './index-record.ts';
import { cidOfKey, keyAfter } from './key-pages.ts';

/** Runs one step of a sweep over the tables of the LMDB store; see `Collectable.sweep`. @throws CYCLE_OVER */
export async function sweepTables(
  environment: Environment,
  tables: BlockTables,
  { cycle, graceSeconds, cacheGraceSeconds = graceSeconds, start, limit }: SweepOptions,
): Promise<SweepStep> {
  const page = tables.page(start, limit);
  const now = tables.seconds();
  const graceOf = ({ owner, isClaimed }: IndexRecord) =>
    owner === 0 && !isClaimed ? Math.min(cacheGraceSeconds, graceSeconds) : graceSeconds;
  const isGarbage = (record: IndexRecord, keepFrom: number) =>
    record.mark !== cycle && record.touchedIn < keepFrom && Math.abs(now - record.touchedAt) >= graceOf(record);
  const assertCurrent = () => {
    const current = tables.control.collection();
    if (current !== cycle) throw new CycleOverError(cycle, current);
    return tables.control.cycle().keepFrom;
  };
  const expiry = { before: now - graceSeconds, keepFrom: assertCurrent() };
  const isDue = (key: Uint8Array) => {
    const record = tables.record(key);
    if (record === undefined) return false;
    return isGarbage(record, expiry.keepFrom) || (record.isClaimed && tables.claims.expired(key, expiry).length > 0);
  };
  const due = page.map(({ key }) => key).filter(isDue);
  let removed: readonly CID[] = [];
  let bytes = 0;
  if (due.length > 0) {
    // Tested again inside the transaction: a block may have been touched since.
    const keys = await environment.transaction(() => {
      assertCurrent();
      const garbage: Uint8Array[] = [];
      for (const key of due) {
        tables.expireClaims(key, expiry);
        const record = tables.record(key);
        if (record === undefined || !isGarbage(record, expiry.keepFrom)) continue;
        garbage.push(key);
        bytes += record.length;
      }
      tables.remove(garbage);
      return garbage;
    });
    removed = keys.map(cidOfKey);
  }
  const last = page.at(-1);
  return { removed, bytes, next: last && page.length === limit ? keyAfter(last.key) : undefined };
}
