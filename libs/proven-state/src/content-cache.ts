/** Content under its Keccak-256: trie nodes and code. Reads are synchronous, since an interpreter cannot wait. */
export interface ContentCache {
  /** The content with this hash, verified; `undefined` where it is not cached. `hash` is 32 bytes. */
  get(hash: Uint8Array): Uint8Array | undefined;
  /** Adds content. Readable in this process immediately. It may be lost at a crash, and evicted at any time. */
  put(hash: Uint8Array, content: Uint8Array): void;
  /** Bytes of cached content. */
  readonly bytes: number;
  /** Resolves when all content is written. */
  flush(): Promise<void>;
  close(): Promise<void>;
}

/** Key of a hash in maps. */
export function keyOf(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('latin1');
}
