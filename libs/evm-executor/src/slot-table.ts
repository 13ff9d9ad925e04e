/** A word of 256 bits is eight integers of 32, the lowest first: as it lies in linear memory. */
export const wordIntegers = 8;

const isWarm = 1;
const isWritten = 2;
/** Since the changes were last taken. */
const isNews = 4;

/** Of the journal: entry, flags, where the record before it of that entry is, value. */
const recordIntegers = 3 + wordIntegers;
const entriesMin = 16;

// Who chooses slots must not be able to choose where they fall: the factors are other ones in each process.
const factors = crypto.getRandomValues(new Int32Array(2 * wordIntegers + 1));

/**
 * Slots that a message has met: what each holds, what it held when the message began (EIP-2200), and whether it is warm
 * (EIP-2929), with a journal that takes writes back. Flat arrays instead of objects: a loop over storage lives in here.
 * A slot belongs to a storage, which has a number; its name and value are words of {@link wordIntegers}.
 */
export class SlotTable {
  #index = new Int32Array(2 * entriesMin);
  #shift = 32 - Math.log2(2 * entriesMin);
  #storages = new Int32Array(entriesMin);
  #names = new Int32Array(entriesMin * wordIntegers);
  #originals = new Int32Array(entriesMin * wordIntegers);
  #flags = new Uint8Array(entriesMin);
  /** One past the place of the last record of an entry in the journal; 0 for none. */
  #recorded = new Int32Array(entriesMin);
  #journal = new Int32Array(recordIntegers * entriesMin);
  #journalEnd = 0;
  /** Where the journal was at the last checkpoint: what has a record behind it needs no other one. */
  #checkpoint = 0;
  /** Entries. */
  count = 0;
  /** The value of an entry begins at `entry * wordIntegers`. */
  values = new Int32Array(entriesMin * wordIntegers);

  /** The entry of a slot whose name stands at a place of `source`; -1 where there is none yet. */
  find(storage: number, source: Int32Array, at: number): number {
    const last = this.#index.length - 1;
    for (let place = hashOf(storage, source, at) >>> this.#shift; ; place = (place + 1) & last) {
      const entry = (this.#index[place] as number) - 1;
      if (entry < 0 || (this.#storages[entry] === storage && isSame(this.#names, entry * wordIntegers, source, at)))
        return entry;
    }
  }

  /** Adds a slot with the value that it holds from before the message. */
  add(storage: number, source: Int32Array, at: number, value: Int32Array): number {
    if (2 * this.count >= this.#index.length) this.#grow();
    const entry = this.count++;
    this.#storages[entry] = storage;
    this.#flags[entry] = 0;
    this.#recorded[entry] = 0;
    const to = entry * wordIntegers;
    for (let index = 0; index < wordIntegers; index++) {
      this.#names[to + index] = source[at + index] as number;
      this.values[to + index] = value[index] as number;
      this.#originals[to + index] = value[index] as number;
    }
    this.#place(entry);
    return entry;
  }

  storageOf(entry: number): number {
    return this.#storages[entry] as number;
  }

  /** The name of a slot: its array, which begins at `entry * wordIntegers`. */
  get names(): Int32Array {
    return this.#names;
  }

  get originals(): Int32Array {
    return this.#originals;
  }

  /** Whether it was cold; it is warm from now on. */
  warm(entry: number): boolean {
    if (((this.#flags[entry] as number) & isWarm) !== 0) return false;
    this.#record(entry);
    this.#flags[entry] = (this.#flags[entry] as number) | isWarm;
    return true;
  }

  isWarm(entry: number): boolean {
    return ((this.#flags[entry] as number) & isWarm) !== 0;
  }

  /** An entry is warm from before all checkpoints. */
  bearWarm(entry: number): void {
    this.#flags[entry] = (this.#flags[entry] as number) | isWarm;
  }

  write(entry: number, source: Int32Array, at: number): void {
    this.#record(entry);
    this.#flags[entry] = (this.#flags[entry] as number) | isWritten | isNews;
    const to = entry * wordIntegers;
    for (let index = 0; index < wordIntegers; index++) this.values[to + index] = source[at + index] as number;
  }

  wasWritten(entry: number): boolean {
    return ((this.#flags[entry] as number) & isWritten) !== 0;
  }

  /** Whether it may have changed since changes were taken; undone writes may be among it. */
  isNews(entry: number): boolean {
    return ((this.#flags[entry] as number) & isNews) !== 0;
  }

  takeNews(): void {
    for (let entry = 0; entry < this.count; entry++) this.#flags[entry] = (this.#flags[entry] as number) & ~isNews;
  }

  /** A message begins: all is cold, and as it should be remembered. */
  begin(): void {
    this.#journalEnd = 0;
    this.#checkpoint = 0;
    for (let entry = 0; entry < this.count; entry++) {
      this.#flags[entry] = (this.#flags[entry] as number) & ~isWarm;
      this.#recorded[entry] = 0;
    }
    this.#originals.set(this.values.subarray(0, this.count * wordIntegers));
  }

  /** Where {@link revert} goes back to. */
  checkpoint(): number {
    this.#checkpoint = this.#journalEnd;
    return this.#checkpoint;
  }

  /** The checkpoint before has come to be the last one again. */
  resume(checkpoint: number): void {
    this.#checkpoint = checkpoint;
  }

  revert(checkpoint: number): void {
    const journal = this.#journal;
    while (this.#journalEnd > checkpoint) {
      this.#journalEnd -= recordIntegers;
      const from = this.#journalEnd;
      const entry = journal[from] as number;
      // That it was written stays told, for whoever keeps changes.
      this.#flags[entry] = ((this.#flags[entry] as number) & ~isWarm) | ((journal[from + 1] as number) & isWarm);
      this.#recorded[entry] = journal[from + 2] as number;
      const to = entry * wordIntegers;
      for (let index = 0; index < wordIntegers; index++) this.values[to + index] = journal[from + 3 + index] as number;
    }
  }

  /** Forgets all. False where it has grown too large to be kept. */
  clear(): boolean {
    if (this.#index.length > 64 * entriesMin || this.#journal.length > 64 * entriesMin * recordIntegers) return false;
    this.#index.fill(0);
    this.count = 0;
    this.#journalEnd = 0;
    this.#checkpoint = 0;
    return true;
  }

  /** Keeps what an entry is, unless that was kept since the last checkpoint. */
  #record(entry: number): void {
    const before = this.#recorded[entry] as number;
    if (before > this.#checkpoint) return;
    const at = this.#journalEnd;
    if (at + recordIntegers > this.#journal.length) this.#journal = enlarged(this.#journal);
    const journal = this.#journal;
    journal[at] = entry;
    journal[at + 1] = this.#flags[entry] as number;
    journal[at + 2] = before;
    const from = entry * wordIntegers;
    for (let index = 0; index < wordIntegers; index++) journal[at + 3 + index] = this.values[from + index] as number;
    this.#recorded[entry] = at + 1;
    this.#journalEnd = at + recordIntegers;
  }

  #place(entry: number): void {
    const last = this.#index.length - 1;
    const hash = hashOf(this.#storages[entry] as number, this.#names, entry * wordIntegers);
    let place = hash >>> this.#shift;
    while (this.#index[place] !== 0) place = (place + 1) & last;
    this.#index[place] = entry + 1;
  }

  #grow(): void {
    this.#storages = enlarged(this.#storages);
    this.#names = enlarged(this.#names);
    this.values = enlarged(this.values);
    this.#originals = enlarged(this.#originals);
    this.#recorded = enlarged(this.#recorded);
    const flags = new Uint8Array(this.#flags.length * 2);
    flags.set(this.#flags);
    this.#flags = flags;
    this.#index = new Int32Array(this.#index.length * 2);
    this.#shift--;
    for (let entry = 0; entry < this.count; entry++) this.#place(entry);
  }
}

function enlarged(array: Int32Array<ArrayBuffer>): Int32Array<ArrayBuffer> {
  const larger = new Int32Array(array.length * 2);
  larger.set(array);
  return larger;
}

/** Whether two words are the same. */
export function isSame(one: Int32Array, oneAt: number, other: Int32Array, otherAt: number): boolean {
  for (let index = 0; index < wordIntegers; index++) if (one[oneAt + index] !== other[otherAt + index]) return false;
  return true;
}

export function isZero(source: Int32Array, at: number): boolean {
  let all = 0;
  for (let index = 0; index < wordIntegers; index++) all |= source[at + index] as number;
  return all === 0;
}

/** Writes a word as 32 bytes, the highest first. */
export function putBigEndian(target: Uint8Array, targetAt: number, source: Int32Array, at: number): void {
  let to = targetAt;
  for (let index = wordIntegers - 1; index >= 0; index--) {
    const part = source[at + index] as number;
    target[to++] = part >>> 24;
    target[to++] = (part >>> 16) & 0xff;
    target[to++] = (part >>> 8) & 0xff;
    target[to++] = part & 0xff;
  }
}

const { imul } = Math;

/** Multilinear in halves of 16 bits; the high bits of 32 are good. */
function hashOf(storage: number, source: Int32Array, at: number): number {
  let hash = imul(storage, factors[2 * wordIntegers] as number);
  for (let index = 0; index < wordIntegers; index++) {
    const word = source[at + index] as number;
    hash = (hash + imul(word & 0xffff, factors[2 * index] as number)) | 0;
    hash = (hash + imul(word >>> 16, factors[2 * index + 1] as number)) | 0;
  }
  return hash;
}
