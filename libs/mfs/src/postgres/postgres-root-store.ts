import { CID } from '@cairn/cid';
import { StoreError } from '@cairn/embedded-store';
import { BatchedLookups, type Postgres } from '@cairn/postgres';
import { formerRootsMax, type RootStore, type SwapConditions, type TreeRoot } from '../root-store.ts';

/** `changes` counts the swaps of an account and numbers its former roots. */
const steps = [
  `CREATE TABLE file_roots (
    account text COLLATE "C" PRIMARY KEY,
    cid bytea NOT NULL,
    bytes bigint NOT NULL,
    changes bigint NOT NULL
  ) WITH (fillfactor = 50);
  CREATE TABLE file_former_roots (
    account text COLLATE "C" NOT NULL,
    change bigint NOT NULL,
    cid bytea NOT NULL,
    PRIMARY KEY (account, change)
  )`,
];

/**
 * Locks the row of a hold until the commit (see `PackHolds` of `@cairn/pack-store`). A collection that ends the hold deletes the
 * row before it reads the roots, so that it either finds the new root or prevents it.
 */
const held = (parameter: string) =>
  `held AS MATERIALIZED (SELECT FROM pack_holders WHERE holder = ${parameter} FOR KEY SHARE)`;
const isHeld = 'AND EXISTS (SELECT FROM held)';

/**
 * Replaces a root. The update locks the row of the account and evaluates its condition again on the locked row, so that one of
 * several concurrent swaps from one root succeeds. Former roots are written under that lock.
 */
const swapRoot = (fence?: string) => `
  WITH ${fence === undefined ? '' : `${held('$5')},`} before AS MATERIALIZED (
    SELECT cid, changes FROM file_roots WHERE account = $1 AND cid = $2 ${fence === undefined ? '' : isHeld} FOR UPDATE
  ), swapped AS (
    UPDATE file_roots r SET cid = $3, bytes = $4, changes = r.changes + 1 FROM before WHERE r.account = $1 RETURNING r.changes
  ), former AS (
    INSERT INTO file_former_roots SELECT $1, swapped.changes, before.cid FROM before, swapped WHERE before.cid <> $3
  ), trimmed AS (
    DELETE FROM file_former_roots f USING swapped WHERE f.account = $1 AND f.change <= swapped.changes - ${formerRootsMax}
  )
  SELECT FROM swapped`;

const createRoot = (fence?: string) => `
  ${fence === undefined ? '' : `WITH ${held('$4')}`}
  INSERT INTO file_roots SELECT $1, $2::bytea, $3::bigint, 1 WHERE true ${fence === undefined ? '' : isHeld}
  ON CONFLICT (account) DO NOTHING`;

interface RootRow {
  readonly account: string;
  readonly cid: Uint8Array;
  readonly bytes: number;
}

/** Rows of one page. */
const pageRows = 1000;

class PostgresRootStore implements RootStore {
  readonly #database: Postgres;
  /** Each add reads the bytes of the tree of its account. */
  readonly #lookups = new BatchedLookups<string, RootRow>((accounts) => this.#find(accounts));
  /** Last swap of each account with one that runs. */
  readonly #swaps = new Map<string, Promise<unknown>>();

  constructor(database: Postgres) {
    this.#database = database;
  }

  async get(account: string): Promise<TreeRoot | undefined> {
    const row = await this.#lookups.one(account);
    return row && { cid: cidOf(row.cid), bytes: row.bytes };
  }

  /** Looks up roots in one statement, in the order of `accounts`. */
  async #find(accounts: readonly string[]): Promise<(RootRow | undefined)[]> {
    const { rows } = await this.#database.read<RootRow>({
      name: 'get-file-roots',
      text: 'SELECT account, cid, bytes FROM file_roots WHERE account = ANY ($1)',
      values: [[...new Set(accounts)]],
    });
    const found = new Map(rows.map((row) => [row.account, row]));
    return accounts.map((account) => found.get(account));
  }

  /** Swaps of an account run one after the other, since concurrent ones would only wait for its row with a connection each. */
  async swap(account: string, before: CID | undefined, next: TreeRoot, conditions?: SwapConditions): Promise<boolean> {
    const last = this.#swaps.get(account);
    const swap = (async () => {
      await last?.catch(() => {});
      return await this.#swap(account, before, next, conditions);
    })();
    this.#swaps.set(account, swap);
    try {
      return await swap;
    } finally {
      if (this.#swaps.get(account) === swap) this.#swaps.delete(account);
    }
  }

  async #swap(
    account: string,
    before: CID | undefined,
    { cid, bytes }: TreeRoot,
    { fence }: SwapConditions = {},
  ): Promise<boolean> {
    const [suffix, fences] = fence === undefined ? ['', []] : ['-under-hold', [fence]];
    const values = [cid.bytes, bytes, ...fences];
    const { count } = await this.#database.write(
      before === undefined
        ? { name: `create-file-root${suffix}`, text: createRoot(fence), values: [account, ...values] }
        : { name: `swap-file-root${suffix}`, text: swapRoot(fence), values: [account, before.bytes, ...values] },
    );
    return count === 1;
  }

  async *roots(): AsyncGenerator<CID> {
    for await (const { cid } of this.#rows()) yield cidOf(cid);
  }

  async assertConsistent({ signal }: { readonly signal?: AbortSignal } = {}): Promise<void> {
    for await (const { account, cid } of this.#rows()) {
      signal?.throwIfAborted();
      try {
        cidOf(cid);
      } catch (cause) {
        throw new StoreError('STORE_CORRUPT', `The root of the files of account ${account} in PostgreSQL is no CID.`, {
          hint: 'Restore the database from a backup. No garbage is collected until then.',
          details: { account },
          cause,
        });
      }
    }
  }

  /** Streams the rows of all accounts in pages. The root of an account is its root at the time of its page or a later one. */
  async *#rows(): AsyncGenerator<RootRow> {
    const text = `SELECT account, cid, bytes FROM file_roots WHERE account > $1 ORDER BY account LIMIT ${pageRows}`;
    for (let after = ''; ; ) {
      const { rows } = await this.#database.read<RootRow>({ name: 'file-roots', text, values: [after] });
      yield* rows;
      const last = rows.at(-1);
      if (last === undefined || rows.length < pageRows) return;
      after = last.account;
    }
  }

  async *rootsOf(account: string): AsyncGenerator<CID> {
    const root = await this.get(account);
    if (root) yield root.cid;
  }

  async bytesOf(account: string): Promise<number> {
    return (await this.get(account))?.bytes ?? 0;
  }

  async *formerRootsOf(account: string): AsyncGenerator<CID> {
    const { rows } = await this.#database.read<RootRow>({
      name: 'former-file-roots',
      text: 'SELECT cid FROM file_former_roots WHERE account = $1 ORDER BY change',
      values: [account],
    });
    for (const { cid } of rows) yield cidOf(cid);
  }

  /** Locks the row of the account first, as a swap does, so that both take their locks in one order. */
  async forgetFormerRoots(account: string, roots: readonly CID[]): Promise<void> {
    if (roots.length === 0) return;
    await this.#database.write({
      name: 'forget-former-file-roots',
      text: `WITH owner AS MATERIALIZED (SELECT account FROM file_roots WHERE account = $1 FOR UPDATE)
        DELETE FROM file_former_roots f USING owner WHERE f.account = owner.account AND f.cid = ANY ($2)`,
      values: [account, roots.map(({ bytes }) => bytes)],
    });
  }

  /** The database belongs to its opener. */
  async close(): Promise<void> {}
}

function cidOf(bytes: Uint8Array): CID {
  return CID.decode(new Uint8Array(bytes));
}

/** Opens the roots of file trees in a database, and creates their tables. @throws the errors of `Postgres.migrate` */
export async function openPostgresRootStore(database: Postgres): Promise<RootStore> {
  await database.migrate({ component: 'files', steps });
  return new PostgresRootStore(database);
}
