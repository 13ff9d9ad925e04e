import { Environment } from '@cairn/embedded-store';
import { meteringFormat } from '../metering-format.ts';
import { LmdbUsageTables } from './lmdb-usage-tables.ts';
import type { UsageRow } from './usage.ts';
import type { Resolution, Span, UsageStore } from './usage-store.ts';

/** Rows of one transaction. */
const batchRows = 500;
const all: Span = { from: 0, to: Number.MAX_SAFE_INTEGER };
const resolutions: readonly Resolution[] = ['minute', 'hour', 'day'];

/**
 * Copies usage, key uses and samples of stored bytes of an account into the LMDB environment of a directory. Rows are replaced,
 * so that a repeated call counts nothing twice. Returns the number of rows.
 * @throws STORE_UNAVAILABLE, STORE_CORRUPT, STORE_VERSION_UNSUPPORTED
 */
export async function copyUsageToLmdb(
  from: UsageStore,
  accountId: string,
  { directory }: { readonly directory: string },
): Promise<number> {
  const environment = await Environment.open({ directory, format: meteringFormat });
  const tables = new LmdbUsageTables(environment);
  let copied = 0;
  const flush = async (resolution: Resolution, batch: readonly UsageRow[]) => {
    await environment.transaction(() => {
      for (const row of batch) tables.putRow(resolution, row);
    });
    copied += batch.length;
  };
  try {
    for (const resolution of resolutions) {
      let batch: UsageRow[] = [];
      for await (const row of from.rows(accountId, all, resolution)) {
        batch.push(row);
        if (batch.length < batchRows) continue;
        await flush(resolution, batch);
        batch = [];
      }
      await flush(resolution, batch);
    }
    const [uses, samples] = [await from.lastUsed(accountId), await from.stored(accountId, all)];
    await environment.transaction(() => {
      for (const [key, at] of uses) tables.putUse(accountId, key, at);
    });
    for (let start = 0; start < samples.length; start += batchRows)
      await environment.transaction(() => {
        for (const { at, bytes } of samples.slice(start, start + batchRows)) tables.putStored(accountId, at, bytes);
      });
    return copied;
  } finally {
    await environment.close();
  }
}
