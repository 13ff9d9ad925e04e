import { mkdirSync } from 'node:fs';
import { damageError } from './damage.ts';
import { Database } from './database.ts';
import { ensureFormat, rootName } from './ensure-format.ts';
import { StoreError, storeErrorFrom } from './errors.ts';
import { markStore } from './file-watch.ts';
import { listHead } from './list-head.ts';
import { databaseNames } from './pages/database-names.ts';
import { verifyPages } from './pages/verify-pages.ts';
import { type LmdbTable, PlainRecords, type Records } from './records.ts';
import { SealedRecords } from './sealed-records.ts';
import { acquireRoot, releaseRoot, type SharedRoot } from './shared-root.ts';
import { isSealed, type StoreFormat, stampOf } from './store-format.ts';

export interface EnvironmentOptions {
  /** Where the files live; made when absent. One environment a directory. */
  readonly directory: string;
  /** What is kept here and in which version of its layout, stamped into new environments and checked at each opening. */
  readonly format: StoreFormat;
  /** For readers that must not create or change anything: worker threads, inspection. Default false. */
  readonly readOnly?: boolean;
  /**
   * Whether commits wait for the disk. Default true. Without, they survive a killed process, not a power cut: for counters
   * that may begin anew. The first environment of a process that opens the directory decides.
   */
  readonly isSynced?: boolean;
}

/**
 * An LMDB environment that several processes and worker threads may use at once, each as often as it likes.
 *
 * Writers take turns across processes; readers never wait. What `transaction` and `batch` resolved for is on the disk
 * (fdatasync), so it survives kill -9 and a power cut; whatever was not resolved is either whole or absent.
 * Transactions that are asked for while the disk is busy are committed together (group commit).
 */
export class Environment {
  readonly directory: string;
  readonly #shared: SharedRoot;
  readonly #isReadOnly: boolean;
  readonly #format: StoreFormat;
  readonly #databases = new Map<string, Database>();
  #isClosed = false;

  private constructor(shared: SharedRoot, { directory, format, readOnly = false }: EnvironmentOptions) {
    this.directory = directory;
    this.#shared = shared;
    this.#isReadOnly = readOnly;
    this.#format = format;
  }

  /** @throws STORE_UNAVAILABLE, STORE_CORRUPT, STORE_VERSION_UNSUPPORTED */
  static async open(options: EnvironmentOptions): Promise<Environment> {
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
        transaction: (action) => environment.#run(() => root.childTransaction(action)),
      });
      if (!readOnly) markStore(directory, stampOf(format));
    } catch (error) {
      await environment.close();
      throw storeErrorFrom(error, directory, 'STORE_UNAVAILABLE');
    }
    return environment;
  }

  /** A named database, made when absent. @throws STORE_UNAVAILABLE for one that a read-only environment lacks */
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

  #table(name: string): LmdbTable {
    const { databases, root } = this.#shared;
    const options = { name, encoding: 'binary', keyEncoding: 'binary' } as const;
    const made = databases.get(name) ?? root.openDB<Buffer, Uint8Array>({ ...options, ...this.#creation() });
    if (made === undefined) throw new Error(`ENOENT: there is no database "${name}" in it`);
    databases.set(name, made);
    return made;
  }

  #records(table: LmdbTable, name: string): Records {
    if (!isSealed(this.#format, name)) return new PlainRecords(table);
    const damage = (text: string, key?: Uint8Array) =>
      damageError(text, { directory: this.directory, format: this.#format, database: name, key });
    return new SealedRecords(table, {
      name,
      damage,
      head: listHead(this.#shared.root, name, damage),
      clock: this.#shared,
    });
  }

  #creation() {
    return this.#isReadOnly ? { create: false } : {};
  }

  /**
   * Runs `action` with exclusive write access to all databases and commits what it wrote, all or nothing: when it
   * throws, nothing is kept and the error is passed on. It must be synchronous, and sees its own writes.
   * @returns after the commit is durable, what `action` returned
   * @throws STORE_FULL, STORE_WRITE_FAILED, STORE_CLOSED and whatever `action` throws
   */
  async transaction<T>(action: () => T): Promise<T> {
    this.#assertCanWrite();
    return await this.#run(() => this.#shared.root.childTransaction(() => this.#writing(action)));
  }

  /**
   * As {@link transaction}, cheaper for much data, with one difference: when `action` throws, what it wrote before is
   * kept. For writes that are each right on their own, such as content-addressed blocks.
   */
  async batch<T>(action: () => T): Promise<T> {
    this.#assertCanWrite();
    return await this.#run(() => this.#shared.root.transaction(() => this.#writing(action)));
  }

  async #run<T>(start: () => Promise<T>): Promise<T> {
    let thrown: unknown;
    try {
      return await start();
    } catch (error) {
      thrown = error;
    }
    if (thrown instanceof Error && 'commitError' in thrown) {
      // lmdb rejects with a general error and puts the reason into a promise that rejects a little later.
      const reason = await Promise.resolve(thrown.commitError).catch((cause: unknown) => cause);
      throw storeErrorFrom(reason ?? thrown, this.directory);
    }
    if (thrown instanceof Error && /MDB_|ENOSPC|EIO|No space left/.test(thrown.message))
      throw storeErrorFrom(thrown, this.directory);
    throw thrown;
  }

  #writing<T>(action: () => T): T {
    // Again: the action may have waited for other writers.
    this.#shared.watch.assertIntact();
    const before = this.#shared.isWriting;
    this.#shared.isWriting = true;
    this.#shared.writes++;
    try {
      const result = action();
      // lmdb would wait for it, with every other writer of every process shut out.
      if (result instanceof Promise) {
        result.catch(() => {});
        throw new StoreError('STORE_WRITE_FAILED', 'The action of a transaction returned a promise.', {
          hint: 'Make it synchronous: await what it needs before the transaction.',
        });
      }
      return result;
    } finally {
      this.#shared.isWriting = before;
    }
  }

  /** Makes the next read see what other processes have committed up to now, not only from the next turn on. Cheap. */
  refresh(): void {
    this.#assertOpen();
    this.#shared.root.resetReadTxn();
  }

  /**
   * Verifies every page of the current snapshot, in slices of the event loop, while others read and write.
   * @throws STORE_CORRUPT
   */
  async verifyPages({ signal }: { readonly signal?: AbortSignal } = {}): Promise<void> {
    this.#assertOpen();
    await verifyPages(this.#shared.root, this.directory, signal);
  }

  /** Inspects every record of the databases that carry checksums, in slices; goes on after damage. */
  async *inspect(): AsyncGenerator<StoreError | undefined> {
    for (const name of databaseNames(this.directory)) {
      if (name === rootName || !isSealed(this.#format, name)) continue;
      const { directory } = this;
      const format = this.#format;
      const error = (text: string, key?: Uint8Array) => damageError(text, { directory, format, database: name, key });
      const head = listHead(this.#shared.root, name, error);
      const records = new SealedRecords(this.#table(name), { name, damage: error, head, clock: this.#shared });
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

  /** A consistent copy of the whole environment while it is in use, compacted. @throws STORE_FULL, STORE_UNAVAILABLE */
  async backup(directory: string): Promise<void> {
    this.#assertOpen();
    try {
      mkdirSync(directory, { recursive: true, mode: 0o700 });
      await this.#shared.root.backup(directory, true);
    } catch (error) {
      throw storeErrorFrom(error, directory, 'STORE_UNAVAILABLE');
    }
  }

  /** Waits for writes under way and lets go of the files. Safe to call twice. */
  async close(): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    await releaseRoot(this.#shared);
  }

  #assertOpen(): void {
    if (!this.#isClosed) {
      this.#shared.watch.assertIntact();
      return;
    }
    throw new StoreError('STORE_CLOSED', `The store in ${this.directory} is closed.`, {
      hint: 'The process is shutting down; try again when it is back.',
      details: { directory: this.directory },
    });
  }

  #assertCanWrite(): void {
    this.#assertOpen();
    if (!this.#isReadOnly) return;
    throw new StoreError('STORE_WRITE_FAILED', `The store in ${this.directory} was opened for reading only.`, {
      hint: 'Open it without readOnly to write.',
      details: { directory: this.directory },
    });
  }

  #assertWriting(): void {
    if (this.#shared.isWriting) return;
    throw new StoreError('STORE_WRITE_FAILED', 'A write was tried outside of a transaction.', {
      hint: 'Call put and remove inside Environment.transaction or Environment.batch.',
    });
  }
}
