import { statSync } from 'node:fs';
import type { ImportProgress } from '@cairn/chain-store';

/** Progress of an import since the last report. */
export interface ImportReport {
  readonly block: string;
  readonly file: string;
  readonly blocksPerSecond: number;
  /** Million gas per second. */
  readonly mgasPerSecond: number;
  /** Read share of the bytes of all files, in percent. */
  readonly percent: number;
  /** Seconds to the end of all files at the current rate. */
  readonly etaSeconds: number;
}

export interface ImportMeterOptions {
  readonly files: readonly string[];
  readonly everyMs: number;
  /** Milliseconds. Default: the monotonic clock. */
  readonly now?: () => number;
  /** Returns the size of a file in bytes. Default: reads it from the file system. */
  readonly sizeOf?: (file: string) => number;
}

const rounded = (number: number) => Math.round(number * 10) / 10;

/** Turns the progress of an import, block by block, into periodic reports. */
export class ImportMeter {
  readonly #files: readonly string[];
  readonly #everyMs: number;
  readonly #now: () => number;
  readonly #sizeOf: (file: string) => number;
  #last: { readonly at: number; readonly bytes: number; readonly progress: ImportProgress } | undefined;

  constructor({ files, everyMs, now = () => performance.now(), sizeOf = fileSize }: ImportMeterOptions) {
    this.#files = files;
    this.#everyMs = everyMs;
    this.#now = now;
    this.#sizeOf = sizeOf;
  }

  /** Returns a report if one is due. Blocks from before the import do not count for the rate. */
  update(progress: ImportProgress): ImportReport | undefined {
    const at = this.#now();
    const bytes = this.#bytesBefore(progress.file) + progress.bytesDone;
    const last = this.#last;
    const isNewFile = last !== undefined && last.progress.file !== progress.file;
    if (last === undefined || progress.blocks === 0 || isNewFile) {
      this.#last = { at, bytes, progress };
      return undefined;
    }
    if (at - last.at < this.#everyMs) return undefined;
    const seconds = (at - last.at) / 1000;
    const total = this.#files.reduce((sum, file) => sum + this.#sizeOf(file), 0);
    this.#last = { at, bytes, progress };
    return {
      block: progress.number.toString(),
      file: progress.file,
      blocksPerSecond: rounded((progress.blocks - last.progress.blocks) / seconds),
      mgasPerSecond: rounded(Number(progress.gas - last.progress.gas) / 1e6 / seconds),
      percent: rounded((100 * bytes) / total),
      etaSeconds: Math.ceil(((total - bytes) * seconds) / Math.max(1, bytes - last.bytes)),
    };
  }

  #bytesBefore(file: string): number {
    const before = this.#files.slice(0, Math.max(0, this.#files.indexOf(file)));
    return before.reduce((sum, each) => sum + this.#sizeOf(each), 0);
  }
}

function fileSize(file: string): number {
  return statSync(file, { throwIfNoEntry: false })?.size ?? 0;
}
