import { accessSync, closeSync, constants, existsSync, mkdirSync, openSync, readSync } from 'node:fs';
import { join } from 'node:path';
import { open, type RootDatabase } from 'lmdb';
import { Database } from './database.ts';
import { StoreError, storeErrorFrom } from './errors.ts';

export interface EnvironmentOptions {
  /** Where the files live; made when absent. One environment a directory. */
  readonly directory: string;
  /** What is kept here and in which version of its layout, stamped into new environments and checked at each opening. */
  readonly format: { readonly name: string; readonly version: number };
  /** For readers that must not create or change anything: worker threads, inspection. Default false. */
  readonly readOnly?: boolean;
}

/** Named databases in one environment, at most: LMDB sizes its tables by it. */
export const databasesMax = 24;

/**
 * An LMDB environment that several processes and worker threads may use at once.
 *
 * Writers take turns across processes; readers never wait. What `transaction` and `batch` resolved for is on the disk
 * (fdatasync), so it survives kill -9 and a power cut; whatever was not resolved is either whole or absent.
 * Transactions that are asked for while the disk is busy are committed together (group commit).
 */
export class Environment {
  readonly directory: string;
  readonly #root: RootDatabase<Buffer, Uint8Array>;
  readonly #databases = new Map<string, Database>();
  #isWriting = false;
  #isClosed = false;

  private constructor(directory: string, root: RootDatabase<Buffer, Uint8Array>) {
    this.directory = directory;
    this.#root = root;
  }

  /** @throws STORE_UNAVAILABLE, STORE_CORRUPT, STORE_VERSION_UNSUPPORTED */
  static async open({ directory, format, readOnly = false }: EnvironmentOptions): Promise<Environment> {
    let environment: Environment;
    try {
      if (!readOnly) mkdirSync(directory, { recursive: true, mode: 0o700 });
      assertFiles(directory, readOnly);
      const root = open<Buffer, Uint8Array>({
        path: directory,
        noSubdir: false,
        name: 'cairn',
        encoding: 'binary',
        keyEncoding: 'binary',
        maxDbs: databasesMax,
        readOnly,
        // A commit then returns after its fdatasync: "resolved" and "durable" are one moment, and a power cut can never
        // show a state that a later restart forgets.
        overlappingSync: false,
        // Zeroed, so that no bytes of other requests linger in unused parts of pages.
        noMemInit: false,
      });
      environment = new Environment(directory, root);
    } catch (error) {
      throw storeErrorFrom(error, directory, 'STORE_UNAVAILABLE');
    }
    try {
      await environment.#checkFormat(format, readOnly);
    } catch (error) {
      await environment.close();
      throw error;
    }
    return environment;
  }

  async #checkFormat(format: EnvironmentOptions['format'], readOnly: boolean): Promise<void> {
    const wanted = `${format.name}/${format.version}`;
    const key = Buffer.from('format');
    const found = this.#root.getBinary(key)?.toString();
    if (found === wanted) return;
    if (found !== undefined) {
      throw new StoreError(
        'STORE_VERSION_UNSUPPORTED',
        `The store in ${this.directory} is "${found}", not "${wanted}".`,
        {
          hint: 'Use the version of Cairn that wrote it, or another directory.',
          details: { directory: this.directory, found, wanted },
        },
      );
    }
    if (readOnly) {
      throw new StoreError('STORE_UNAVAILABLE', `The store in ${this.directory} is empty.`, {
        hint: 'Let a service or an import write it first.',
        details: { directory: this.directory },
      });
    }
    await this.#root.put(key, Buffer.from(wanted));
  }

  /** A named database, made when absent. */
  database(name: string): Database {
    const known = this.#databases.get(name);
    if (known) return known;
    this.#assertOpen();
    try {
      const made = this.#root.openDB<Buffer, Uint8Array>({ name, encoding: 'binary', keyEncoding: 'binary' });
      if (made === undefined) throw new Error(`MDB_INVALID: there is no database ${name}`);
      const database = new Database(made, () => this.#assertWriting());
      this.#databases.set(name, database);
      return database;
    } catch (error) {
      throw storeErrorFrom(error, this.directory, 'STORE_UNAVAILABLE');
    }
  }

  /**
   * Runs `action` with exclusive write access to all databases and commits what it wrote, all or nothing: when it
   * throws, nothing is kept and the error is passed on. It must be synchronous, and sees its own writes.
   * @returns after the commit is durable, what `action` returned
   * @throws STORE_FULL, STORE_WRITE_FAILED, STORE_CLOSED and whatever `action` throws
   */
  async transaction<T>(action: () => T): Promise<T> {
    this.#assertOpen();
    return await this.#run(() => this.#root.childTransaction(() => this.#writing(action)));
  }

  /**
   * As {@link transaction}, cheaper for much data, with one difference: when `action` throws, what it wrote before is
   * kept. For writes that are each right on their own, such as content-addressed blocks.
   */
  async batch<T>(action: () => T): Promise<T> {
    this.#assertOpen();
    return await this.#run(() => this.#root.transaction(() => this.#writing(action)));
  }

  async #run<T>(start: () => Promise<T>): Promise<T> {
    let thrown: { readonly error: unknown } | undefined;
    try {
      return await start();
    } catch (error) {
      thrown = { error };
    }
    const { error } = thrown;
    if (error instanceof Error && 'commitError' in error) {
      // lmdb rejects with a general error and puts the reason into a promise that rejects a little later.
      const reason = await Promise.resolve(error.commitError).catch((cause: unknown) => cause);
      throw storeErrorFrom(reason ?? error, this.directory);
    }
    if (error instanceof Error && /MDB_|ENOSPC|EIO/.test(error.message)) throw storeErrorFrom(error, this.directory);
    throw error;
  }

  #writing<T>(action: () => T): T {
    this.#isWriting = true;
    try {
      return action();
    } finally {
      this.#isWriting = false;
    }
  }

  /** Makes the next read see what other processes have committed up to now, not only from the next turn on. Cheap. */
  refresh(): void {
    this.#root.resetReadTxn();
  }

  /** A consistent copy of the whole environment while it is in use, compacted. */
  async backup(directory: string): Promise<void> {
    this.#assertOpen();
    mkdirSync(directory, { recursive: true, mode: 0o700 });
    await this.#root.backup(directory, true);
  }

  /** Waits for writes under way and lets go of the files. Safe to call twice. */
  async close(): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    await this.#root.close();
  }

  #assertOpen(): void {
    if (!this.#isClosed) return;
    throw new StoreError('STORE_CLOSED', `The store in ${this.directory} is closed.`, {
      hint: 'The process is shutting down; try again when it is back.',
      details: { directory: this.directory },
    });
  }

  #assertWriting(): void {
    if (this.#isWriting) return;
    throw new StoreError('STORE_WRITE_FAILED', 'A write was tried outside of a transaction.', {
      hint: 'Call put and remove inside Environment.transaction or Environment.batch.',
    });
  }
}

const lmdbMagic = Buffer.from([0xde, 0xc0, 0xef, 0xbe]);

/** Checks what LMDB would crash on instead of reporting: a directory out of reach, a data file that is none of its own. */
function assertFiles(directory: string, readOnly: boolean): void {
  accessSync(directory, readOnly ? constants.R_OK : constants.R_OK | constants.W_OK);
  const file = join(directory, 'data.mdb');
  if (!existsSync(file)) {
    if (readOnly) throw new Error(`ENOENT: ${file} does not exist`);
    return;
  }
  const head = Buffer.alloc(64);
  const descriptor = openSync(file, readOnly ? 'r' : 'r+');
  try {
    const length = readSync(descriptor, head, 0, head.length, 0);
    if (length > 0 && !head.subarray(0, length).includes(lmdbMagic))
      throw new Error('MDB_INVALID: data.mdb is not an LMDB file');
  } finally {
    closeSync(descriptor);
  }
}
