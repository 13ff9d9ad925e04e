/** Lookups in one statement. A statement with 128 of them costs about as much as seven statements with one. */
const batchMax = 256;
/** Statements that run concurrently. */
const runningMax = 4;

interface Waiting<Key, Value> {
  readonly key: Key;
  readonly resolve: (value: Value | undefined) => void;
  readonly reject: (error: unknown) => void;
}

/** Lookups of concurrent callers in common statements. A lookup waits for other callers of the same turn of the event loop only. */
export class BatchedLookups<Key, Value> {
  readonly #find: (keys: readonly Key[]) => Promise<readonly (Value | undefined)[]>;
  readonly #waiting: Waiting<Key, Value>[] = [];
  #running = 0;
  #isScheduled = false;

  /** @param find returns a value for each key, in order */
  constructor(find: (keys: readonly Key[]) => Promise<readonly (Value | undefined)[]>) {
    this.#find = find;
  }

  one(key: Key): Promise<Value | undefined> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ key, resolve, reject });
      this.#schedule();
    });
  }

  many(keys: readonly Key[]): Promise<(Value | undefined)[]> {
    return Promise.all(keys.map((key) => this.one(key)));
  }

  #schedule(): void {
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    setImmediate(() => {
      this.#isScheduled = false;
      while (this.#waiting.length > 0 && this.#running < runningMax) void this.#run(this.#waiting.splice(0, batchMax));
    });
  }

  async #run(batch: readonly Waiting<Key, Value>[]): Promise<void> {
    this.#running++;
    try {
      const found = await this.#find(batch.map(({ key }) => key));
      for (const [index, { resolve }] of batch.entries()) resolve(found[index]);
    } catch (error) {
      for (const { reject } of batch) reject(error);
    } finally {
      this.#running--;
      if (this.#waiting.length > 0) this.#schedule();
    }
  }
}
