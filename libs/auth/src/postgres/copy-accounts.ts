import { inBatches } from '@cairn/embedded-store';
import type { Postgres } from '@cairn/postgres';
import type { AccountStore } from '../account-store.ts';
import type { AuditEntry } from '../audit.ts';
import { batchRecords, type CopiedAccounts } from '../copy-accounts-to-lmdb.ts';

/**
 * Copies accounts, keys, members, the audit log and the service secret of a store into the tables of another one, which
 * `openPostgresAccountStore` has created. A repeated call after a failure gives the same result. Sessions are not copied:
 * members sign in again. No process may change either store meanwhile.
 */
export async function copyAccounts(from: AccountStore, database: Postgres): Promise<CopiedAccounts> {
  await database.write({
    text: `INSERT INTO service_secrets VALUES ('service', $1) ON CONFLICT (name) DO UPDATE SET secret = EXCLUDED.secret`,
    values: [await from.serviceSecret()],
  });
  const counts = { accounts: 0, keys: 0, members: 0, auditEntries: 0 };
  for await (const batch of inBatches(from.accounts(), batchRecords)) {
    await database.write({
      text: `INSERT INTO accounts SELECT * FROM unnest($1::text[], $2::text[], $3::json[])
             ON CONFLICT (id) DO UPDATE SET name = EXCLUDED.name, record = EXCLUDED.record`,
      values: [
        batch.map(({ id }) => id),
        batch.map(({ name }) => name),
        batch.map((account) => JSON.stringify(account)),
      ],
    });
    counts.accounts += batch.length;
    for (const { id } of batch) counts.keys += await copyKeys(from, id, database);
  }
  for await (const batch of inBatches(from.members.list(), batchRecords)) {
    await database.write({
      text: `INSERT INTO members SELECT * FROM unnest($1::text[], $2::text[], $3::json[])
             ON CONFLICT (id) DO UPDATE SET email = EXCLUDED.email, record = EXCLUDED.record`,
      values: [
        batch.map(({ id }) => id),
        batch.map(({ email }) => email),
        batch.map((member) => JSON.stringify(member)),
      ],
    });
    counts.members += batch.length;
  }
  return { ...counts, auditEntries: await copyAudit(from, database) };
}

async function copyKeys(from: AccountStore, accountId: string, database: Postgres): Promise<number> {
  let copied = 0;
  for await (const batch of inBatches(from.keys(accountId), batchRecords)) {
    await database.write({
      text: `INSERT INTO api_keys SELECT * FROM unnest($1::text[], $2::text[], $3::json[])
             ON CONFLICT (id) DO UPDATE SET account_id = EXCLUDED.account_id, record = EXCLUDED.record`,
      values: [batch.map(({ id }) => id), batch.map(() => accountId), batch.map((key) => JSON.stringify(key))],
    });
    copied += batch.length;
  }
  return copied;
}

/** Copies the log. Entries are listed from the newest, and numbered from the oldest, so that a repeated copy gives equal numbers. */
async function copyAudit(from: AccountStore, database: Postgres): Promise<number> {
  let total = 0;
  for await (const _ of from.auditEntries()) total++;
  let number = total;
  for await (const batch of inBatches<AuditEntry>(from.auditEntries(), batchRecords)) {
    await database.write({
      text: `INSERT INTO audit_entries (number, account_id, record) OVERRIDING SYSTEM VALUE
             SELECT * FROM unnest($1::bigint[], $2::text[], $3::json[])
             ON CONFLICT (number) DO UPDATE SET account_id = EXCLUDED.account_id, record = EXCLUDED.record`,
      values: [
        batch.map(() => number--),
        batch.map(({ accountId }) => accountId ?? null),
        batch.map((entry) => JSON.stringify(entry)),
      ],
    });
  }
  // New entries follow the copied ones.
  await database.write({
    text: `SELECT setval(pg_get_serial_sequence('audit_entries', 'number'), greatest($1::bigint, 1), $1::bigint > 0)`,
    values: [total],
  });
  return total;
}
