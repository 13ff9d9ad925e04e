/** Content under its Keccak-256, and bodies under names. Reads are synchronous, since an interpreter cannot wait. */
export interface ContentReader {
  /** The content with this hash, verified; `undefined` where it is not cached. `hash` is 32 bytes. */
  get(hash: Uint8Array): Uint8Array | undefined;
  /** Content under a name of 32 bytes that is not its hash. The caller verifies it. */
  find(name: Uint8Array): Uint8Array | undefined;
}

/** Content under its Keccak-256: trie nodes, code and headers. Bodies and receipts under names. */
export interface ContentCache extends ContentReader {
  /**
   * Adds content under its hash, or under a name for {@link ContentReader.find}. Readable in this process immediately. It may be lost at
   * a crash, and evicted at any time.
   */
  put(hash: Uint8Array, content: Uint8Array): void;
  /** Bytes of cached content. */
  readonly bytes: number;
  /** Resolves when all content that was added before is written, and readers in other threads can read it. */
  flush(): Promise<void>;
  close(): Promise<void>;
}

/** Key of a hash in maps. */
export function keyOf(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('latin1');
}
