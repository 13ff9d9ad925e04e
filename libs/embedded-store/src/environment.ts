import { mkdirSync } from 'node:fs';
import { runningBatch } from '@cairn/platform';
import { damageError } from './damage.ts';
import { Database } from './database.ts';
import { ensureFormat, rootName } from './ensure-format.ts';
import { isStoreFailure, StoreError, storeErrorFrom } from './errors.ts';
import { markStore } from './file-watch.ts';
import { GroupedTransactions } from './grouped-transactions.ts';
import { listHead } from './list-head.ts';
import { openingGate } from './opening-gate.ts';
import { databaseNames } from './pages/database-names.ts';
import { verifyPages } from './pages/verify-pages.ts';
import { PlainRecords } from './plain-records.ts';
import type { LmdbTable, Records } from './records.ts';
import { SealedRecords } from './sealed-records.ts';
import { acquireRoot, releaseRoot, type SharedRoot } from './shared-root.ts';
import { isSealed, type StoreFormat, stampOf } from './store-format.ts';

export interface EnvironmentOptions {
  /** Directory of the files, created when absent. Contains one environment. */
  readonly directory: string;
  /** Content and version of the layout. Stamped into new environments and checked at each opening. */
  readonly format: StoreFormat;
  /** Refuses creation and writes, for worker threads and inspection. Default false. */
  readonly readOnly?: boolean;
  /**
   * Makes commits wait for the disk. Default true. Unsynced commits survive a killed process but not a power cut; use them
   * for counters that may restart. The first environment of a process in this directory decides.
   */
  readonly isSynced?: boolean;
}

/**
 * An LMDB environment. Several processes and worker threads may open it concurrently, and each may open it several times.
 *
 * Writers take turns across processes; readers never wait. A resolved `transaction` or `batch` is on the disk (fdatasync) and
 * survives kill -9 and a power cut. An unresolved one is either complete or absent. Transactions that start while the disk
 * is busy share a commit (group commit).
 */
export class Environment {
  readonly directory: string;
  readonly #shared: SharedRoot;
  readonly #isReadOnly: boolean;
  readonly #format: StoreFormat;
  readonly #databases = new Map<string, Database>();
  readonly #groups: GroupedTransactions;
  #isClosed = false;
  /** Number of puts and removals. */
  #writes = 0;

  private constructor(shared: SharedRoot, { directory, format, readOnly = false }: EnvironmentOptions) {
    this.directory = directory;
    this.#shared = shared;
    this.#isReadOnly = readOnly;
    this.#format = format;
    this.#groups = new GroupedTransactions({
      transaction: (action) => this.transaction(action),
      writes: () => this.#writes,
    });
  }

  /** @throws STORE_UNAVAILABLE, STORE_CORRUPT, STORE_VERSION_UNSUPPORTED */
  static open(options: EnvironmentOptions): Promise<Environment> {
    return openingGate.open(() => Environment.#open(options));
  }

  static async #open(options: EnvironmentOptions): Promise<Environment> {
    const { directory, format, readOnly = false, isSynced = true } = options;
    let environment: Environment;
    try {
      if (!readOnly) mkdirSync(directory, { recursive: true, mode: 0o700 });
      environment = new Environment(await acquireRoot(directory, { create: !readOnly, isSynced }), options);
    } catch (error) {
      throw storeErrorFrom(error, directory, 'STORE_UNAVAILABLE');
    }
    try {
      const { root } = environment.#shared;
      await ensureFormat({
        root,
        directory,
        format,
        isReadOnly: readOnly,
        open: (name) => environment.#table(name),
        transaction: (action) => environment.#attempt(() => root.childTransaction(action)),
      });
      if (!readOnly) markStore(directory, stampOf(format));
    } catch (error) {
      await environment.#release();
      throw storeErrorFrom(error, directory, 'STORE_UNAVAILABLE');
    }
    return environment;
  }

  /**
   * Opens a named database and creates it when absent. Call it in the turn of the event loop in which {@link open} resolves, before any
   * other wait; later, use {@link openDatabase}. @throws STORE_UNAVAILABLE if a read-only environment lacks it
   */
  database(name: string): Database {
    const known = this.#databases.get(name);
    if (known) return known;
    this.#assertOpen();
    try {
      const table = this.#table(name);
      const count = () => (table.getStats() as { readonly entryCount?: number }).entryCount ?? 0;
      const database = new Database(this.#records(table, name), count, {
        directory: this.directory,
        assertReadable: () => this.#assertOpen(),
        assertWritable: () => this.#assertWriting(),
      });
      this.#databases.set(name, database);
      return database;
    } catch (error) {
      throw storeErrorFrom(error, this.directory, 'STORE_UNAVAILABLE');
    }
  }

  /** Opens a database as {@link database} does, at any time: no transaction of this thread runs meanwhile. */
  async openDatabase(name: string): Promise<Database> {
    return this.#databases.get(name) ?? (await openingGate.open(async () => this.database(name)));
  }

  #table(name: string): LmdbTable {
    const { databases, root } = this.#shared;
    const options = { name, encoding: 'binary', keyEncoding: 'binary' } as const;
    const table = databases.get(name) ?? root.openDB<Buffer, Uint8Array>({ ...options, ...this.#creation() });
    if (table === undefined) throw new Error(`ENOENT: it has no database "${name}"`);
    databases.set(name, table);
    return table;
  }

  #records(table: LmdbTable, name: string): Records {
    if (!isSealed(this.#format, name)) return new PlainRecords(table);
    const damage = (text: string, key?: Uint8Array) =>
      damageError(text, { directory: this.directory, format: this.#format, database: name, key });
    return new SealedRecords(table, {
      name,
      damage,
      head: listHead(this.#shared.root, name, damage),
      writeState: this.#shared,
    });
  }

  #creation() {
    return this.#isReadOnly ? { create: false } : {};
  }

  /**
   * Runs `action` with exclusive write access to all databases and commits its writes atomically. When it throws, no write
   * is stored and the error is passed on. The action must be synchronous. It sees its own writes.
   * @returns the result of `action`, after the commit is durable
   * @throws STORE_FULL, STORE_WRITE_FAILED, STORE_CLOSED and any error of `action`
   */
  async transaction<T>(action: () => T): Promise<T> {
    this.#assertCanWrite();
    return await this.#run(() => this.#shared.root.childTransaction(() => this.#writing(action)));
  }

  /**
   * Like {@link transaction}, but complete when it returns, in an environment without sync. It blocks the thread while another process
   * writes. A process holds such an environment for microseconds if all its transactions are of this kind: {@link transaction} holds
   * it until the event loop of its process is free.
   */
  transactionSync<T>(action: () => T): T {
    this.#assertCanWrite();
    if (this.#shared.isSynced)
      throw new StoreError('STORE_WRITE_FAILED', `The store in ${this.directory} waits for the disk.`, {
        hint: 'Use transaction, or open the store with isSynced: false.',
        details: { directory: this.directory },
      });
    try {
      return this.#shared.root.transactionSync(() => this.#writing(action));
    } catch (error) {
      if (isStoreFailure(error)) throw storeErrorFrom(error, this.directory);
      throw error;
    }
  }

  /**
   * Like {@link transaction}, but cheaper for small ones: those that arrive during one commit share the next. The action may run
   * twice, so it must have no effect outside of the transaction.
   */
  async grouped<T>(action: () => T): Promise<T> {
    this.#assertCanWrite();
    return await this.#groups.run(action);
  }

  /**
   * Like {@link transaction}, but cheaper for much data and not atomic: when `action` throws, its earlier writes are stored.
   * Use it for independent writes, such as content-addressed blocks.
   */
  async batch<T>(action: () => T): Promise<T> {
    this.#assertCanWrite();
    return await this.#run(() => this.#shared.root.transaction(() => this.#writing(action)));
  }

  #run<T>(start: () => Promise<T>): Promise<T> {
    return openingGate.transaction(() => this.#attempt(start));
  }

  async #attempt<T>(start: () => Promise<T>): Promise<T> {
    let thrown: unknown;
    try {
      return await start();
    } catch (error) {
      thrown = error;
    }
    if (thrown instanceof Error && 'commitError' in thrown) {
      // lmdb rejects with a general error. The reason is in a promise that rejects later.
      const reason = await Promise.resolve(thrown.commitError).catch((cause: unknown) => cause);
      throw storeErrorFrom(reason ?? thrown, this.directory);
    }
    if (isStoreFailure(thrown)) throw storeErrorFrom(thrown, this.directory);
    throw thrown;
  }

  #writing<T>(action: () => T): T {
    // Checked again, since the action may have waited for other writers.
    this.#shared.watch.assertIntact();
    const before = this.#shared.isWriting;
    this.#shared.isWriting = true;
    this.#shared.writes++;
    try {
      const result = action();
      // lmdb would await the promise and block every other writer of every process.
      if (result instanceof Promise) {
        result.catch(() => {});
        throw new StoreError('STORE_WRITE_FAILED', 'The action of a transaction returned a promise.', {
          hint: 'Make the action synchronous: await its inputs before the transaction.',
        });
      }
      return result;
    } finally {
      this.#shared.isWriting = before;
    }
  }

  /**
   * Makes commits of other processes visible to the next read. Without it they are visible from the next turn of the event
   * loop. In a batch of requests the first call does it for all.
   */
  refresh(): void {
    this.#assertOpen();
    const batch = runningBatch();
    if (batch !== undefined && batch === this.#shared.refreshedIn) return;
    this.#shared.refreshedIn = batch;
    this.#shared.root.resetReadTxn();
  }

  /**
   * Verifies every page of the current snapshot, in slices, during concurrent reads and writes.
   * @throws STORE_CORRUPT
   */
  async verifyPages({ signal }: { readonly signal?: AbortSignal } = {}): Promise<void> {
    this.#assertOpen();
    await verifyPages(this.#shared.root, this.directory, signal);
  }

  /** Inspects every record of the databases with checksums. Yields `undefined` for an intact record and continues after damage. */
  async *inspect(): AsyncGenerator<StoreError | undefined> {
    for (const name of databaseNames(this.directory)) {
      if (name === rootName || !isSealed(this.#format, name)) continue;
      const { directory } = this;
      const format = this.#format;
      const error = (text: string, key?: Uint8Array) => damageError(text, { directory, format, database: name, key });
      const head = listHead(this.#shared.root, name, error);
      const records = new SealedRecords(this.#table(name), { name, damage: error, head, writeState: this.#shared });
      try {
        for (const found of records.inspect()) {
          this.#assertOpen();
          yield found && error(found.damage, found.key);
        }
      } catch (thrown) {
        const problem = storeErrorFrom(thrown, directory, 'STORE_UNAVAILABLE');
        if (!(problem instanceof StoreError) || problem.code !== 'STORE_CORRUPT') throw problem;
        yield problem;
      }
    }
  }

  /** Writes a consistent, compact copy of the environment while it is in use. @throws STORE_FULL, STORE_UNAVAILABLE */
  async backup(directory: string): Promise<void> {
    this.#assertOpen();
    try {
      mkdirSync(directory, { recursive: true, mode: 0o700 });
      await this.#shared.root.backup(directory, true);
    } catch (error) {
      throw storeErrorFrom(error, directory, 'STORE_UNAVAILABLE');
    }
  }

  /** Waits for pending writes and closes the files. A second call does nothing. */
  async close(): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    // Transactions that were accepted start before.
    await openingGate.opened();
    await this.#release();
  }

  async #release(): Promise<void> {
    this.#isClosed = true;
    await releaseRoot(this.#shared);
  }

  #assertOpen(): void {
    if (!this.#isClosed) {
      this.#shared.watch.assertIntact();
      return;
    }
    throw new StoreError('STORE_CLOSED', `The store in ${this.directory} is closed.`, {
      hint: 'The process is shutting down. Retry after its restart.',
      details: { directory: this.directory },
    });
  }

  #assertCanWrite(): void {
    this.#assertOpen();
    if (!this.#isReadOnly) return;
    throw new StoreError('STORE_WRITE_FAILED', `The store in ${this.directory} is open read-only.`, {
      hint: 'Open it without readOnly to write.',
      details: { directory: this.directory },
    });
  }

  #assertWriting(): void {
    this.#writes++;
    if (this.#shared.isWriting) return;
    throw new StoreError('STORE_WRITE_FAILED', 'A write was made outside of a transaction.', {
      hint: 'Call put and remove inside Environment.transaction or Environment.batch.',
    });
  }
}
