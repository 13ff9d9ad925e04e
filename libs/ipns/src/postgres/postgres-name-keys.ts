import type { Postgres, Transaction } from '@cairn/postgres';
import { KeyLabelExistsError, KeyLabelUnknownError, NamesFullError } from '../errors.ts';
import { limits } from '../limits.ts';
import type { KeyType } from '../public-key.ts';
import type { NameKeys, StoredKey } from '../store/name-store.ts';
import { keyPlace } from '../store/seal.ts';
import { nameOfMultihash } from '../store/stored-record.ts';

interface KeyRow {
  readonly account_id: string;
  readonly label: Uint8Array;
  readonly name: Uint8Array;
  readonly type: KeyType;
  readonly sealed: Uint8Array;
}

/** Keys resealed per transaction, so that other writers get their turn. */
const resealedMax = 512;

/** Keys in PostgreSQL. Changes of the keys of one account take turns, so that their number and labels are exact. */
export class PostgresNameKeys implements NameKeys {
  readonly #database: Postgres;

  constructor(database: Postgres) {
    this.#database = database;
  }

  async get(account: string, label: string): Promise<StoredKey | undefined> {
    const { rows } = await this.#database.read<KeyRow>({
      name: 'name-key',
      text: 'SELECT * FROM name_keys WHERE account_id = $1 AND label = $2',
      values: [account, Buffer.from(label)],
    });
    return rows[0] && keyOf(rows[0]);
  }

  async list(account: string): Promise<readonly StoredKey[]> {
    const { rows } = await this.#database.read<KeyRow>({
      name: 'name-keys',
      text: 'SELECT * FROM name_keys WHERE account_id = $1 ORDER BY label',
      values: [account],
    });
    return rows.map(keyOf);
  }

  async add(account: string, key: StoredKey): Promise<void> {
    await this.#change(account, async (transaction) => {
      const { rows } = await transaction.run<{ own: number; same: boolean | null }>({
        text: 'SELECT count(*) AS own, bool_or(label = $2) AS same FROM name_keys WHERE account_id = $1',
        values: [account, Buffer.from(key.label)],
      });
      const [found] = rows;
      if (found?.same) throw new KeyLabelExistsError(key.label);
      if ((found?.own ?? 0) >= limits.keysPerAccountMax)
        throw new NamesFullError('The keys of the account', limits.keysPerAccountMax);
      await transaction.run({
        text: 'INSERT INTO name_keys (account_id, label, name, type, sealed) VALUES ($1, $2, $3, $4, $5)',
        values: [account, Buffer.from(key.label), key.name.multihash.bytes, key.type, Buffer.from(key.sealed)],
      });
    });
  }

  rename(
    account: string,
    { from, to, isForced = false }: { readonly from: string; readonly to: string; readonly isForced?: boolean },
  ): Promise<{ readonly key: StoredKey; readonly isReplaced: boolean }> {
    return this.#change(account, async (transaction) => {
      const { rows } = await transaction.run<KeyRow>({
        text: 'SELECT * FROM name_keys WHERE account_id = $1 AND label = ANY($2::bytea[])',
        values: [account, [Buffer.from(from), Buffer.from(to)]],
      });
      const keys = rows.map(keyOf);
      const key = keys.find(({ label }) => label === from);
      if (key === undefined) throw new KeyLabelUnknownError(from);
      if (from === to) return { key, isReplaced: false };
      const replaced = keys.find(({ label }) => label === to);
      if (replaced !== undefined && !isForced) throw new KeyLabelExistsError(to);
      if (replaced !== undefined) await remove(transaction, account, replaced);
      await transaction.run({
        text: 'UPDATE name_keys SET label = $3 WHERE account_id = $1 AND label = $2',
        values: [account, Buffer.from(from), Buffer.from(to)],
      });
      return { key: { ...key, label: to }, isReplaced: replaced !== undefined };
    });
  }

  remove(account: string, label: string): Promise<StoredKey> {
    return this.#change(account, async (transaction) => {
      const { rows } = await transaction.run<KeyRow>({
        text: 'SELECT * FROM name_keys WHERE account_id = $1 AND label = $2',
        values: [account, Buffer.from(label)],
      });
      const [found] = rows;
      if (found === undefined) throw new KeyLabelUnknownError(label);
      await remove(transaction, account, keyOf(found));
      return keyOf(found);
    });
  }

  async changeSecrets(change: (sealed: string, place: string) => string): Promise<number> {
    let changed = 0;
    let after: Pick<KeyRow, 'account_id' | 'label'> = { account_id: '', label: new Uint8Array() };
    for (;;) {
      const { account_id, label } = after;
      const page = await this.#database.transaction((transaction) =>
        reseal(transaction, { account_id, label }, change),
      );
      changed += page.changed;
      if (page.last === undefined) return changed;
      after = page.last;
    }
  }

  /** Runs a change of the keys of one account. The lock ends with the transaction; statements after it see all earlier changes. */
  #change<T>(account: string, work: (transaction: Transaction) => Promise<T>): Promise<T> {
    return this.#database.transaction(async (transaction) => {
      await transaction.run({
        text: "SELECT pg_advisory_xact_lock(hashtextextended('name_keys ' || $1, 0))",
        values: [account],
      });
      return await work(transaction);
    });
  }
}

/** Removes a key, and the sequence of its name with the last key of the name. */
async function remove(transaction: Transaction, account: string, { label, name }: StoredKey): Promise<void> {
  await transaction.run({
    text: 'DELETE FROM name_keys WHERE account_id = $1 AND label = $2',
    values: [account, Buffer.from(label)],
  });
  await transaction.run({
    text: `DELETE FROM name_sequences WHERE account_id = $1 AND name = $2
           AND NOT EXISTS (SELECT FROM name_keys WHERE account_id = $1 AND name = $2)`,
    values: [account, name.multihash.bytes],
  });
}

/** Reseals the keys after a place, and returns the place of the last one of a full page. */
async function reseal(
  transaction: Transaction,
  { account_id, label }: Pick<KeyRow, 'account_id' | 'label'>,
  change: (sealed: string, place: string) => string,
): Promise<{ readonly changed: number; readonly last: KeyRow | undefined }> {
  const { rows } = await transaction.run<KeyRow>({
    text: `SELECT * FROM name_keys WHERE (account_id, label) > ($1, $2)
           ORDER BY account_id, label LIMIT ${resealedMax} FOR UPDATE`,
    values: [account_id, label],
  });
  const resealed = rows
    .map((row) => ({ row, key: keyOf(row) }))
    .map(({ row, key }) => ({ row, key, sealed: change(key.sealed, keyPlace(row.account_id, key.name)) }))
    .filter(({ key, sealed }) => sealed !== key.sealed);
  await transaction.run({
    text: `UPDATE name_keys SET sealed = changed.sealed
           FROM unnest($1::text[], $2::bytea[], $3::bytea[]) AS changed (account_id, label, sealed)
           WHERE name_keys.account_id = changed.account_id AND name_keys.label = changed.label`,
    values: [
      resealed.map(({ row }) => row.account_id),
      resealed.map(({ row }) => row.label),
      resealed.map(({ sealed }) => Buffer.from(sealed)),
    ],
  });
  return { changed: resealed.length, last: rows.length < resealedMax ? undefined : rows.at(-1) };
}

function keyOf({ label, name, type, sealed }: KeyRow): StoredKey {
  return {
    label: Buffer.from(label).toString(),
    name: nameOfMultihash(name),
    type,
    sealed: Buffer.from(sealed).toString(),
  };
}
