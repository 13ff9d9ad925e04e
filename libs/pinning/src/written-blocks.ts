/**
 * Maximum numbers of block names in memory. A name takes about 110 bytes. To list one as a leftover costs more than the write of
 * its block: with 8,192 names, an add of 50,000 blocks of 256 bytes took four times as much CPU time.
 */
const limits = {
  /** Limit of a session while others need the room: 1 MiB. */
  namesMin: 8_192,
  /** Limit of a session: 14 MiB. */
  namesMax: 131_072,
  /** Limit of all sessions of a process: 28 MiB, and `namesMin` of each session. */
  namesOfAll: 262_144,
} as const;

/** Names that all sessions of a process have in memory. */
export class NameCount {
  names = 0;
}

/** Keys of the blocks that a session wrote and that are neither pinned nor claimed, with the bytes in flight of each. */
export class WrittenBlocks {
  readonly #blocks = new Map<string, number>();
  readonly #all: NameCount;

  constructor(all: NameCount) {
    this.#all = all;
  }

  get size(): number {
    return this.#blocks.size;
  }

  /** True when the names must be listed elsewhere. */
  get isFull(): boolean {
    const { size } = this.#blocks;
    return size >= limits.namesMax || (size >= limits.namesMin && this.#all.names >= limits.namesOfAll);
  }

  has(key: string): boolean {
    return this.#blocks.has(key);
  }

  /** Adds bytes to a block. */
  add(key: string, bytes: number): void {
    const before = this.#blocks.get(key);
    if (before === undefined) this.#all.names++;
    this.#blocks.set(key, (before ?? 0) + bytes);
  }

  /** Removes a block and returns its bytes. */
  take(key: string): number {
    const bytes = this.#blocks.get(key) ?? 0;
    if (this.#blocks.delete(key)) this.#all.names--;
    return bytes;
  }

  keys(): string[] {
    return [...this.#blocks.keys()];
  }

  clear(): void {
    this.#all.names -= this.#blocks.size;
    this.#blocks.clear();
  }
}
