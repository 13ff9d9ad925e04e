import type { Postgres, Rows, Statement, Transaction } from '@cairn/postgres';
import type { AuditEntry } from '../audit.ts';
import { accountsChannel } from './account-tables.ts';

/** Row with a record and its place in the order of a listing. */
export interface Recorded<T, Place> {
  readonly place: Place;
  readonly record: T;
}

/** Rows that a listing reads at a time. */
const pageRows = 500;

/** Returns the record of the first row. A text that cannot be stored, such as one with a NUL, has no record. */
export async function find<T>(database: Postgres, statement: Statement): Promise<T | undefined> {
  if (statement.values?.some((value) => typeof value === 'string' && value.includes('\0'))) return undefined;
  const { rows } = await database.read<{ record: T }>(statement);
  return rows[0]?.record;
}

/** Yields the records of all pages. Rows that are inserted meanwhile may or may not be among them. */
export async function* pages<T, Place>(
  read: (after: Place | undefined, limit: number) => Promise<Rows<Recorded<T, Place>>>,
): AsyncGenerator<T> {
  let after: Place | undefined;
  for (;;) {
    const { rows } = await read(after, pageRows);
    for (const { record } of rows) yield record;
    after = rows.at(-1)?.place;
    if (rows.length < pageRows) return;
  }
}

/** Appends to the audit log. */
export async function log(transaction: Transaction, entry: AuditEntry): Promise<void> {
  await transaction.run({
    text: 'INSERT INTO audit_entries (account_id, record) VALUES ($1, $2)',
    values: [entry.accountId ?? null, JSON.stringify(entry)],
  });
}

/** Notifies other processes of a change when the transaction is committed. */
export async function notify(transaction: Transaction, kind: 'account' | 'key' | 'member', id: string): Promise<void> {
  await transaction.run({ text: 'SELECT pg_notify($1, $2)', values: [accountsChannel, `${kind} ${id}`] });
}
