import { StoreError } from '@cairn/embedded-store';
import type { Postgres } from '@cairn/postgres';
import type { NameStore } from '../store/name-store.ts';
import { nameSteps } from './name-tables.ts';
import { PostgresNameKeys } from './postgres-name-keys.ts';
import { PostgresNameRecords } from './postgres-name-records.ts';
import { type RecordRow, recordColumns, recordOfRow } from './record-rows.ts';

/** Records that a check reads at a time. */
const pageRows = 500;

/** Opens keys and records of names in a database, and creates their tables. @throws the errors of `Postgres.migrate` */
export async function openPostgresNameStore(
  database: Postgres,
  { now = Date.now }: { /** Milliseconds since 1970. Default: the clock. */ readonly now?: () => number } = {},
): Promise<NameStore> {
  await database.migrate({ component: 'names', steps: nameSteps });
  return {
    keys: new PostgresNameKeys(database),
    records: new PostgresNameRecords(database, now),
    async assertConsistent({ signal } = {}) {
      await assertCounts(database);
      await assertRecords(database, signal);
    },
    // The database belongs to its opener.
    close: async () => {},
  };
}

/** Compares counts with records in one statement, which sees one state of both. */
async function assertCounts(database: Postgres): Promise<void> {
  const { rows } = await database.read<{ scope: string }>({
    text: `SELECT scope FROM (
             SELECT 'account ' || account_id AS scope, count(*) AS records, sum(length(record)) AS bytes
             FROM name_records GROUP BY account_id) AS found
           FULL JOIN (SELECT * FROM name_counts WHERE scope LIKE 'account %' AND records > 0) AS counted USING (scope)
           WHERE found.records IS DISTINCT FROM counted.records OR found.bytes IS DISTINCT FROM counted.bytes LIMIT 1`,
  });
  if (rows[0] !== undefined) throw corrupt(`The count of ${rows[0].scope} does not match its IPNS records.`);
}

async function assertRecords(database: Postgres, signal: AbortSignal | undefined): Promise<void> {
  let after = new Uint8Array();
  for (;;) {
    signal?.throwIfAborted();
    const { rows } = await database.read<RecordRow>({
      text: `SELECT ${recordColumns} FROM name_records WHERE name > $1 ORDER BY name LIMIT ${pageRows}`,
      values: [after],
    });
    for (const row of rows) {
      try {
        recordOfRow(row);
      } catch (cause) {
        throw corrupt(`The IPNS record of the name ${Buffer.from(row.name).toString('hex')} cannot be read.`, cause);
      }
    }
    const last = rows.at(-1);
    if (last === undefined || rows.length < pageRows) return;
    after = Uint8Array.from(last.name);
  }
}

function corrupt(message: string, cause?: unknown): StoreError {
  return new StoreError('STORE_CORRUPT', message, { hint: 'Restore the database from a backup.', cause });
}
