// Hot path: every SLOAD and SSTORE ends here. Flat arrays instead of objects and Maps; measured by the storage loops of
// tools/bench/evm. slot-table.spec.ts compares it with a plain list.

/** A 256-bit word is eight 32-bit integers, least significant first, as in linear memory. */
export const wordIntegers = 8;

const isWarm = 1;
const isWritten = 2;
/** Written since {@link SlotTable.clearChanged}. */
const isChanged = 4;

/** Size of a journal record: entry, flags, index of the previous record of that entry, value. */
const recordIntegers = 3 + wordIntegers;
const entriesMin = 16;
/** Largest index and number of records of a table that is kept for reuse: 2,048 slots, some 400 KiB. */
const keptMax = 4_096;

// Hash factors are random in each process, so that an attacker cannot choose slots that collide.
const factors = crypto.getRandomValues(new Int32Array(2 * wordIntegers + 1));

/**
 * Hash table of the slots that a message has accessed: current value, original value at the start of the message (EIP-2200) and
 * warmth (EIP-2929), with a journal to undo writes. A slot is identified by the id of its storage and its key; key and value are
 * words of {@link wordIntegers}.
 */
export class SlotTable {
  #index = new Int32Array(2 * entriesMin);
  #shift = 32 - Math.log2(2 * entriesMin);
  #storages = new Int32Array(entriesMin);
  #keys = new Int32Array(entriesMin * wordIntegers);
  #originals = new Int32Array(entriesMin * wordIntegers);
  #flags = new Uint8Array(entriesMin);
  /** Index of the last journal record of each entry, plus one; 0 for none. */
  #recorded = new Int32Array(entriesMin);
  #journal = new Int32Array(recordIntegers * entriesMin);
  #journalEnd = 0;
  /** Length of the journal at the last checkpoint. An entry with a record after it needs no further one. */
  #checkpoint = 0;
  /** Number of entries. */
  count = 0;
  /** The value of an entry begins at `entry * wordIntegers`. */
  values = new Int32Array(entriesMin * wordIntegers);

  /** Returns the entry of the slot with the key at `source[at]`, or -1. */
  find(storage: number, source: Int32Array, at: number): number {
    const last = this.#index.length - 1;
    for (let place = hashOf(storage, source, at) >>> this.#shift; ; place = (place + 1) & last) {
      const entry = (this.#index[place] as number) - 1;
      if (entry < 0 || (this.#storages[entry] === storage && isSame(this.#keys, entry * wordIntegers, source, at)))
        return entry;
    }
  }

  /** Adds a slot with its value before the message. */
  add(storage: number, source: Int32Array, at: number, value: Int32Array): number {
    if (2 * this.count >= this.#index.length) this.#grow();
    const entry = this.count++;
    this.#storages[entry] = storage;
    this.#flags[entry] = 0;
    this.#recorded[entry] = 0;
    const to = entry * wordIntegers;
    for (let index = 0; index < wordIntegers; index++) {
      this.#keys[to + index] = source[at + index] as number;
      this.values[to + index] = value[index] as number;
      this.#originals[to + index] = value[index] as number;
    }
    this.#place(entry);
    return entry;
  }

  storageOf(entry: number): number {
    return this.#storages[entry] as number;
  }

  /** Keys of all slots; that of an entry begins at `entry * wordIntegers`. */
  get keys(): Int32Array {
    return this.#keys;
  }

  get originals(): Int32Array {
    return this.#originals;
  }

  /** Marks a slot as warm and reports whether it was cold. */
  accessWasCold(entry: number): boolean {
    if (((this.#flags[entry] as number) & isWarm) !== 0) return false;
    this.#record(entry);
    this.#flags[entry] = (this.#flags[entry] as number) | isWarm;
    return true;
  }

  isWarm(entry: number): boolean {
    return ((this.#flags[entry] as number) & isWarm) !== 0;
  }

  /** Marks a slot as warm without a journal record: no revert makes it cold. */
  markWarm(entry: number): void {
    this.#flags[entry] = (this.#flags[entry] as number) | isWarm;
  }

  write(entry: number, source: Int32Array, at: number): void {
    this.#record(entry);
    this.#flags[entry] = (this.#flags[entry] as number) | isWritten | isChanged;
    const to = entry * wordIntegers;
    for (let index = 0; index < wordIntegers; index++) this.values[to + index] = source[at + index] as number;
  }

  wasWritten(entry: number): boolean {
    return ((this.#flags[entry] as number) & isWritten) !== 0;
  }

  /** Reports whether a slot was written since {@link clearChanged}. Reverted writes count too. */
  isChanged(entry: number): boolean {
    return ((this.#flags[entry] as number) & isChanged) !== 0;
  }

  clearChanged(): void {
    for (let entry = 0; entry < this.count; entry++) this.#flags[entry] = (this.#flags[entry] as number) & ~isChanged;
  }

  /** Starts a message: all slots become cold, and current values become original values. */
  beginMessage(): void {
    this.#journalEnd = 0;
    this.#checkpoint = 0;
    for (let entry = 0; entry < this.count; entry++) {
      this.#flags[entry] = (this.#flags[entry] as number) & ~isWarm;
      this.#recorded[entry] = 0;
    }
    this.#originals.set(this.values.subarray(0, this.count * wordIntegers));
  }

  /** @returns the argument for {@link revert} */
  checkpoint(): number {
    this.#checkpoint = this.#journalEnd;
    return this.#checkpoint;
  }

  /** Makes an earlier checkpoint the current one. */
  resume(checkpoint: number): void {
    this.#checkpoint = checkpoint;
  }

  revert(checkpoint: number): void {
    const journal = this.#journal;
    while (this.#journalEnd > checkpoint) {
      this.#journalEnd -= recordIntegers;
      const from = this.#journalEnd;
      const entry = journal[from] as number;
      // Only warmth is restored: the written and changed flags stay set after a revert.
      this.#flags[entry] = ((this.#flags[entry] as number) & ~isWarm) | ((journal[from + 1] as number) & isWarm);
      this.#recorded[entry] = journal[from + 2] as number;
      const to = entry * wordIntegers;
      for (let index = 0; index < wordIntegers; index++) this.values[to + index] = journal[from + 3 + index] as number;
    }
  }

  /** Empties the table for reuse. Returns false if it has grown too large to be kept. */
  clear(): boolean {
    if (this.#index.length > keptMax || this.#journal.length > keptMax * recordIntegers) return false;
    this.#index.fill(0);
    this.count = 0;
    this.#journalEnd = 0;
    this.#checkpoint = 0;
    return true;
  }

  /** Writes the state of an entry to the journal, unless it was written since the last checkpoint. */
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
    const hash = hashOf(this.#storages[entry] as number, this.#keys, entry * wordIntegers);
    let place = hash >>> this.#shift;
    while (this.#index[place] !== 0) place = (place + 1) & last;
    this.#index[place] = entry + 1;
  }

  #grow(): void {
    this.#storages = enlarged(this.#storages);
    this.#keys = enlarged(this.#keys);
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

/** Reports whether two words are equal. */
export function isSame(one: Int32Array, oneAt: number, other: Int32Array, otherAt: number): boolean {
  for (let index = 0; index < wordIntegers; index++) if (one[oneAt + index] !== other[otherAt + index]) return false;
  return true;
}

export function isZero(source: Int32Array, at: number): boolean {
  let all = 0;
  for (let index = 0; index < wordIntegers; index++) all |= source[at + index] as number;
  return all === 0;
}

/** Writes a word as 32 big-endian bytes. */
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

/** Multilinear hash over 16-bit halves. The high bits of the 32 are well distributed. */
function hashOf(storage: number, source: Int32Array, at: number): number {
  let hash = imul(storage, factors[2 * wordIntegers] as number);
  for (let index = 0; index < wordIntegers; index++) {
    const word = source[at + index] as number;
    hash = (hash + imul(word & 0xffff, factors[2 * index] as number)) | 0;
    hash = (hash + imul(word >>> 16, factors[2 * index + 1] as number)) | 0;
  }
  return hash;
}
