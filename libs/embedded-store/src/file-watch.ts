import { existsSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { assertNotTruncated, truncated } from './data-file.ts';
import { StoreError } from './errors.ts';

/**
 * Time between two checks of a data file by reads and writes: a busy store costs 100 `stat` calls per second, an idle one
 * none. A read of a page that was truncated within this time, or within one turn of the event loop, still ends the process.
 */
const freshMs = 10;
const markName = 'store.txt';

/**
 * Refuses a store whose data file is truncated, or missing although the store was in use. LMDB would create an empty store
 * in its place. @throws STORE_CORRUPT
 */
export function assertDataFile(directory: string): void {
  const file = join(directory, 'data.mdb');
  const bytes = statSync(file, { throwIfNoEntry: false })?.size;
  const isBegun = bytes !== undefined && bytes > 0;
  if (isBegun) assertNotTruncated(file, directory);
  if (isBegun || !existsSync(join(directory, markName))) return;
  const state = bytes === 0 ? 'is empty' : 'is missing';
  throw new StoreError('STORE_CORRUPT', `${file} ${state}, but the store was in use.`, {
    hint: `Restore the whole home from a backup (\`cairn restore\`), or remove ${directory} to start with an empty store.`,
    details: { directory, file, bytes: bytes ?? 0 },
  });
}

/** Writes the mark by which a later opening detects a lost data file. */
export function markStore(directory: string, format: string): void {
  const mark = join(directory, markName);
  if (existsSync(mark)) return;
  try {
    writeFileSync(
      mark,
      `${format}\nMark of a store in use. It keeps a lost data.mdb from being replaced by an empty one.\n`,
      {
        flag: 'wx',
        mode: 0o600,
      },
    );
  } catch {
    // Another process was first, or the disk is full. A later opening writes the mark.
  }
}

/** Watches an open data file. After a truncation, replacement or removal every use of the store is refused. */
export class FileWatch {
  readonly #directory: string;
  readonly #file: string;
  readonly #identity: string;
  #bytesSeen: number;
  #isFresh = false;
  #problem: StoreError | undefined;

  constructor(directory: string) {
    this.#directory = directory;
    this.#file = join(directory, 'data.mdb');
    const { dev, ino, size } = statSync(this.#file);
    this.#identity = `${dev}:${ino}`;
    this.#bytesSeen = size;
  }

  /** Checks the file with one `stat`. A problem persists until the process is restarted. */
  check(): StoreError | undefined {
    this.#problem ??= this.#findProblem();
    if (this.#problem !== undefined) this.#isFresh = false;
    return this.#problem;
  }

  /** Called by each read. Usually tests one flag. @throws STORE_CORRUPT */
  assertIntact(): void {
    if (this.#isFresh) return;
    const problem = this.check();
    if (problem !== undefined) throw problem;
    this.#isFresh = true;
    setTimeout(() => {
      this.#isFresh = false;
    }, freshMs).unref();
  }

  #findProblem(): StoreError | undefined {
    const directory = this.#directory;
    const file = this.#file;
    try {
      const found = statSync(file, { throwIfNoEntry: false });
      if (found === undefined) return this.#lost('was removed');
      if (`${found.dev}:${found.ino}` !== this.#identity) return this.#lost('was replaced by another file');
      if (found.size < this.#bytesSeen)
        return truncated({ file, directory, bytes: found.size, bytesExpected: this.#bytesSeen });
      this.#bytesSeen = found.size;
      return undefined;
    } catch (error) {
      return this.#lost('cannot be checked', error);
    }
  }

  #lost(event: string, cause?: unknown): StoreError {
    return new StoreError('STORE_CORRUPT', `${this.#file} ${event} while it was in use.`, {
      hint: 'Stop all services before you change files of a home. Restore the home from a backup (`cairn restore`) and restart them.',
      details: { directory: this.#directory, file: this.#file },
      cause,
    });
  }
}
