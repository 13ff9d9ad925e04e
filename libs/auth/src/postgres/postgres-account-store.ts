import { randomBytes } from 'node:crypto';
import type { Postgres, Transaction } from '@cairn/postgres';
import type { Account, ApiKey } from '../account.ts';
import type { AccountStore, AccountUpdate } from '../account-store.ts';
import { type AuditEntry, type EntryOf, entryFor } from '../audit.ts';
import { accountExists, accountNotFound, keyExists, keyNotFound } from '../errors.ts';
import type { Member } from '../members/member.ts';
import { accountSteps } from './account-tables.ts';
import { PostgresMemberStore } from './postgres-member-store.ts';
import { find, log, notify, pages, type Recorded } from './records.ts';

class PostgresAccountStore implements AccountStore {
  readonly members: PostgresMemberStore;
  readonly #database: Postgres;

  constructor(database: Postgres) {
    this.#database = database;
    this.members = new PostgresMemberStore(database);
  }

  async serviceSecret(): Promise<Uint8Array> {
    // The first process to insert sets the secret.
    await this.#database.write({
      text: 'INSERT INTO service_secrets VALUES ($1, $2) ON CONFLICT (name) DO NOTHING',
      values: ['service', randomBytes(32)],
    });
    const { rows } = await this.#database.read<{ secret: Uint8Array }>({
      text: 'SELECT secret FROM service_secrets WHERE name = $1',
      values: ['service'],
    });
    const [row] = rows;
    if (row === undefined) throw new Error('The secret that was inserted is missing.');
    return new Uint8Array(row.secret);
  }

  changeSharedText(name: string, change: (text: string | undefined) => string): Promise<string> {
    return this.#database.transaction(async (transaction) => {
      // Changes of one name take turns, also while there is no row to lock.
      await transaction.run({
        text: "SELECT pg_advisory_xact_lock(hashtextextended('service_secrets ' || $1, 0))",
        values: [name],
      });
      const { rows } = await transaction.run<{ secret: Uint8Array }>({
        text: 'SELECT secret FROM service_secrets WHERE name = $1',
        values: [`text ${name}`],
      });
      const known = rows[0] && Buffer.from(rows[0].secret).toString();
      const text = change(known);
      if (text !== known)
        await transaction.run({
          text: 'INSERT INTO service_secrets VALUES ($1, $2) ON CONFLICT (name) DO UPDATE SET secret = EXCLUDED.secret',
          values: [`text ${name}`, Buffer.from(text)],
        });
      return text;
    });
  }

  async insertAccount(account: Account, entry: AuditEntry, owner?: Member): Promise<void> {
    await this.#database.transaction(async (transaction) => {
      const { count } = await transaction.run({
        text: 'INSERT INTO accounts VALUES ($1, $2, $3) ON CONFLICT (name) DO NOTHING',
        values: [account.id, account.name, JSON.stringify(account)],
      });
      if (count === 0) throw accountExists(account.name);
      await log(transaction, entry);
      if (owner !== undefined) {
        const created = { ...entry, action: 'member.create', change: { email: owner.email } } as const;
        await this.members.insertInTransaction(transaction, owner, created);
      }
    });
  }

  account(id: string): Promise<Account | undefined> {
    return find(this.#database, { name: 'account', text: 'SELECT record FROM accounts WHERE id = $1', values: [id] });
  }

  accountByName(name: string): Promise<Account | undefined> {
    return find(this.#database, { text: 'SELECT record FROM accounts WHERE name = $1', values: [name] });
  }

  accounts(): AsyncIterable<Account> {
    return pages<Account, string>((after, limit) =>
      this.#database.read<Recorded<Account, string>>({
        text: 'SELECT id AS place, record FROM accounts WHERE id > $1 ORDER BY id LIMIT $2',
        values: [after ?? '', limit],
      }),
    );
  }

  updateAccount(id: string, change: (account: Account) => AccountUpdate): Promise<Account> {
    return this.#database.transaction(async (transaction) => {
      const before = await locked<Account>(transaction, 'accounts', id);
      if (before === undefined) throw accountNotFound(id);
      const { account, entries } = change(before);
      if (account !== before)
        await transaction.run({
          text: 'UPDATE accounts SET name = $2, record = $3 WHERE id = $1',
          values: [id, account.name, JSON.stringify(account)],
        });
      for (const entry of entries) await log(transaction, entry);
      await notify(transaction, 'account', id);
      return account;
    });
  }

  async insertKey(key: ApiKey, entry: AuditEntry): Promise<void> {
    await this.#database.transaction(async (transaction) => {
      const { count } = await transaction.run({
        text: 'INSERT INTO api_keys VALUES ($1, $2, $3) ON CONFLICT (id) DO NOTHING',
        values: [key.id, key.accountId, JSON.stringify(key)],
      });
      if (count === 0) throw keyExists();
      await log(transaction, entry);
      await notify(transaction, 'key', key.id);
    });
  }

  key(id: string): Promise<ApiKey | undefined> {
    return find(this.#database, { name: 'api-key', text: 'SELECT record FROM api_keys WHERE id = $1', values: [id] });
  }

  keys(accountId: string): AsyncIterable<ApiKey> {
    return pages<ApiKey, string>((after, limit) =>
      this.#database.read<Recorded<ApiKey, string>>({
        text: `SELECT id AS place, record FROM api_keys
               WHERE account_id = $1 AND id > $2 ORDER BY id LIMIT $3`,
        values: [accountId, after ?? '', limit],
      }),
    );
  }

  updateKey(id: string, change: (key: ApiKey) => ApiKey, entry: AuditEntry | EntryOf<ApiKey>): Promise<ApiKey> {
    return this.#database.transaction(async (transaction) => {
      const before = await locked<ApiKey>(transaction, 'api_keys', id);
      if (before === undefined) throw keyNotFound();
      const after = change(before);
      await transaction.run({
        text: 'UPDATE api_keys SET record = $2 WHERE id = $1',
        values: [id, JSON.stringify(after)],
      });
      await log(transaction, { ...entryFor(entry, before), accountId: after.accountId });
      await notify(transaction, 'key', id);
      return after;
    });
  }

  auditEntries(accountId?: string): AsyncIterable<AuditEntry> {
    return pages<AuditEntry, number>((before, limit) =>
      this.#database.read<Recorded<AuditEntry, number>>({
        text: `SELECT number AS place, record FROM audit_entries
               WHERE ($1::text IS NULL OR account_id = $1) AND ($2::bigint IS NULL OR number < $2)
               ORDER BY number DESC LIMIT $3`,
        values: [accountId ?? null, before ?? null, limit],
      }),
    );
  }

  /** The database belongs to its opener. */
  async close(): Promise<void> {}
}

/** Reads a record for a change. Other changes of the row wait for the end of the transaction. */
async function locked<T>(transaction: Transaction, table: 'accounts' | 'api_keys', id: string): Promise<T | undefined> {
  const { rows } = await transaction.run<{ record: T }>({
    text: `SELECT record FROM ${table} WHERE id = $1 FOR UPDATE`,
    values: [id],
  });
  return rows[0]?.record;
}

/** Opens the accounts, keys, members and audit log in a database, and creates their tables. @throws the errors of `Postgres.migrate` */
export async function openPostgresAccountStore(database: Postgres): Promise<AccountStore> {
  await database.migrate({ component: 'accounts', steps: accountSteps });
  return new PostgresAccountStore(database);
}
