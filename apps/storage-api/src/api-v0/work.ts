const KiB = 1024;

/** Bytes that each kind of work counts as. {@link Work} adds them up. */
const workBytes = {
  /** Least for a block that is read, written or visited. */
  blockMin: 16 * KiB,
  /** A line or entry of a response. */
  line: 4 * KiB,
  /** A search, a dial or a publication in the network, beyond the first of a command. */
  query: 16 * 1024 * KiB,
  /** For each byte that the codec thread decodes. */
  codecFactor: 32,
} as const;

/** Work of one request, in bytes. Its transfers pay for an equal number of bytes. */
export class Work {
  #bytes = 0;
  #fetched = 0;

  get bytes(): number {
    return this.#bytes;
  }

  /** Bytes of blocks fetched from other nodes. */
  get fetchedBytes(): number {
    return this.#fetched;
  }

  /** Counts a block that was fetched from another node. */
  fetched(bytes: number): void {
    this.#fetched += bytes;
  }

  /** Counts blocks that were read or written. */
  blocks(lengths: Iterable<number>): void {
    for (const length of lengths) this.#bytes += Math.max(workBytes.blockMin, length);
  }

  /** Counts blocks that were only visited. */
  visits(count: number): void {
    this.#bytes += count * workBytes.blockMin;
  }

  /** Counts a line of the response. */
  line(): void {
    this.#bytes += workBytes.line;
  }

  /** Counts searches, dials and publications in the network. */
  queries(count: number): void {
    this.#bytes += count * workBytes.query;
  }

  /** Counts a block that the codec thread decodes. */
  codec(bytes: number): void {
    this.#bytes += bytes * workBytes.codecFactor;
  }
}
