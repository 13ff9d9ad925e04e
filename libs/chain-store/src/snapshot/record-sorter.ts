import { type FileHandle, open, rm } from 'node:fs/promises';
import { join } from 'node:path';

export interface RecordSorterOptions {
  /** Directory of temporary files. */
  readonly directory: string;
  /** Bytes of each record, whose first 32 bytes are the sort key: a hash. */
  readonly recordBytes: number;
  /** Records in memory before they are written to a file. Default 262,144. */
  readonly recordsMax?: number;
}

const readBytes = 256 * 1024;

/** Sorts records of one length by their hashes: in memory, or in files that are merged. Memory does not depend on the number. */
export class RecordSorter {
  static #count = 0;
  readonly #options: RecordSorterOptions;
  readonly #recordBytes: number;
  readonly #recordsMax: number;
  #buffer: Buffer;
  #records = 0;
  readonly #runs: Run[] = [];

  constructor(options: RecordSorterOptions) {
    this.#options = options;
    this.#recordBytes = options.recordBytes;
    this.#recordsMax = options.recordsMax ?? 262_144;
    this.#buffer = Buffer.allocUnsafe(Math.min(this.#recordsMax, 64) * this.#recordBytes);
  }

  /** Adds a record; copies it. */
  async add(record: Uint8Array): Promise<void> {
    if (this.#records === this.#recordsMax) await this.#spill();
    if ((this.#records + 1) * this.#recordBytes > this.#buffer.length) {
      const larger = Buffer.allocUnsafe(Math.min(this.#buffer.length * 2, this.#recordsMax * this.#recordBytes));
      this.#buffer.copy(larger);
      this.#buffer = larger;
    }
    this.#buffer.set(record, this.#records++ * this.#recordBytes);
  }

  /** Yields all records in order, once. Removes the files at the end. */
  async *sorted(): AsyncGenerator<Uint8Array> {
    if (this.#runs.length === 0) {
      for (const index of this.#order()) yield Buffer.from(this.#record(index));
      return;
    }
    await this.#spill();
    this.#buffer = Buffer.alloc(0);
    try {
      yield* merged(this.#runs);
    } finally {
      await this.close();
    }
  }

  /** Removes the files. */
  async close(): Promise<void> {
    for (const run of this.#runs.splice(0)) await run.close();
  }

  #record(index: number): Buffer {
    return this.#buffer.subarray(index * this.#recordBytes, (index + 1) * this.#recordBytes);
  }

  #order(): Uint32Array {
    // Hashes rarely share their first six bytes, so most comparisons are of numbers.
    const prefixes = Float64Array.from({ length: this.#records }, (_, index) => this.#record(index).readUIntBE(0, 6));
    const compare = (a: number, b: number) =>
      (prefixes[a] as number) - (prefixes[b] as number) || Buffer.compare(this.#record(a), this.#record(b));
    return Uint32Array.from({ length: this.#records }, (_, index) => index).sort(compare);
  }

  async #spill(): Promise<void> {
    const sorted = Buffer.allocUnsafe(this.#records * this.#recordBytes);
    let at = 0;
    for (const index of this.#order()) at += this.#record(index).copy(sorted, at);
    const path = join(this.#options.directory, `run-${RecordSorter.#count++}`);
    this.#runs.push(await Run.write(path, sorted, this.#recordBytes));
    this.#records = 0;
  }
}

/** A file of sorted records. */
class Run {
  readonly #file: FileHandle;
  readonly #path: string;
  readonly #recordBytes: number;
  readonly #buffer: Buffer;
  #at = 0;
  #end = 0;
  #position = 0;

  private constructor(file: FileHandle, path: string, recordBytes: number) {
    this.#file = file;
    this.#path = path;
    this.#recordBytes = recordBytes;
    this.#buffer = Buffer.allocUnsafe(Math.max(1, Math.floor(readBytes / recordBytes)) * recordBytes);
  }

  static async write(path: string, content: Uint8Array, recordBytes: number): Promise<Run> {
    const file = await open(path, 'wx+');
    for (let at = 0; at < content.length; ) at += (await file.write(content, at, content.length - at, at)).bytesWritten;
    return new Run(file, path, recordBytes);
  }

  /** Current record; `undefined` at the end. Valid until the next call. */
  async current(): Promise<Buffer | undefined> {
    if (this.#at === this.#end) {
      const { bytesRead } = await this.#file.read(this.#buffer, 0, this.#buffer.length, this.#position);
      this.#position += bytesRead;
      this.#at = 0;
      this.#end = bytesRead - (bytesRead % this.#recordBytes);
      if (this.#end === 0) return undefined;
    }
    return this.#buffer.subarray(this.#at, this.#at + this.#recordBytes);
  }

  skip(): void {
    this.#at += this.#recordBytes;
  }

  async close(): Promise<void> {
    await this.#file.close();
    await rm(this.#path, { force: true });
  }
}

/** Merges runs with a binary heap of their current records. */
async function* merged(runs: readonly Run[]): AsyncGenerator<Uint8Array> {
  const heap: { readonly run: Run; record: Buffer }[] = [];
  const isBefore = (a: number, b: number) => Buffer.compare(recordAt(a), recordAt(b)) < 0;
  const recordAt = (index: number) => (heap[index] as { record: Buffer }).record;
  const swap = (a: number, b: number) => ([heap[a], heap[b]] = [heap[b] as never, heap[a] as never]);
  const sink = (start: number) => {
    for (let at = start; ; ) {
      let least = at;
      for (const child of [2 * at + 1, 2 * at + 2]) if (child < heap.length && isBefore(child, least)) least = child;
      if (least === at) return;
      swap(at, least);
      at = least;
    }
  };
  for (const run of runs) {
    const record = await run.current();
    if (record) heap.push({ run, record });
  }
  for (let at = heap.length >> 1; at >= 0; at--) sink(at);
  for (let top = heap[0]; top !== undefined; top = heap[0]) {
    yield Buffer.from(top.record);
    top.run.skip();
    const next = await top.run.current();
    if (next) top.record = next;
    else {
      const last = heap.pop();
      if (heap.length > 0 && last) heap[0] = last;
    }
    if (heap.length > 0) sink(0);
  }
}
