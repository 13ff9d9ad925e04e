import { existsSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { assertNotTruncated, truncated } from './data-file.ts';
import { StoreError } from './errors.ts';

/**
 * Time for which a look at a data file counts. Reads and writes look again after it, so that a busy store costs 100 `stat` a
 * second and an idle one none. A page that was cut off within this time, or within one turn of the event loop, still ends the process.
 */
const freshMs = 10;
const markName = 'store.txt';

/**
 * Refuses a store whose data file is shorter than what is used, or gone while the mark of an earlier opening is still there: LMDB
 * would begin an empty store in its place. @throws STORE_CORRUPT
 */
export function assertDataFile(directory: string): void {
  const file = join(directory, 'data.mdb');
  const bytes = statSync(file, { throwIfNoEntry: false })?.size;
  const isBegun = bytes !== undefined && bytes > 0;
  if (isBegun) assertNotTruncated(file, directory);
  if (isBegun || !existsSync(join(directory, markName))) return;
  const state = bytes === 0 ? 'is empty' : 'is missing';
  throw new StoreError('STORE_CORRUPT', `${file} ${state}, but a store was kept there.`, {
    hint: `Restore the whole home from a backup (\`cairn restore\`), or remove ${directory} to begin with an empty store.`,
    details: { directory, file, bytes: bytes ?? 0 },
  });
}

/** Leaves the mark by which a later opening recognizes a data file that was lost. */
export function markStore(directory: string, format: string): void {
  const mark = join(directory, markName);
  if (existsSync(mark)) return;
  try {
    writeFileSync(
      mark,
      `${format}\nMark of a store in use. A data.mdb that is lost is then not replaced by an empty one.\n`,
      {
        flag: 'wx',
        mode: 0o600,
      },
    );
  } catch {
    // Another process was first, or the disk is full: the mark is made at a later opening.
  }
}

/** Watches one open data file: once it was truncated, replaced or removed, every use of the store is refused. */
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

  /** Looks at the file: one `stat`. A problem stays until the process is started again. */
  check(): StoreError | undefined {
    this.#problem ??= this.#look();
    if (this.#problem !== undefined) this.#isFresh = false;
    return this.#problem;
  }

  /** Called by each read: mostly one test of a flag. @throws STORE_CORRUPT */
  assertIntact(): void {
    if (this.#isFresh) return;
    const problem = this.check();
    if (problem !== undefined) throw problem;
    this.#isFresh = true;
    setTimeout(() => {
      this.#isFresh = false;
    }, freshMs).unref();
  }

  #look(): StoreError | undefined {
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
      return this.#lost('cannot be looked at', error);
    }
  }

  #lost(event: string, cause?: unknown): StoreError {
    return new StoreError('STORE_CORRUPT', `${this.#file} ${event} while it was in use.`, {
      hint: 'Stop all services before files of a home are changed; restore the home from a backup (`cairn restore`) and start again.',
      details: { directory: this.#directory, file: this.#file },
      cause,
    });
  }
}
