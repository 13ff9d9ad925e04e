import { keccak256 } from '@cairn/cid';
import type { Database } from '@cairn/embedded-store';
import { CorruptNodeError, Trie, type TrieNodeStore } from '@cairn/trie';

/**
 * Trie nodes by keccak-256. New nodes stay in memory until they are written with their block. Older nodes are read from the
 * table and verified against their hashes.
 */
export class TrieNodes implements TrieNodeStore {
  readonly #table: Database;
  readonly #taken = new Map<string, Uint8Array>();
  #fresh = new Map<string, Uint8Array>();

  constructor(table: Database) {
    this.#table = table;
  }

  load(hash: Uint8Array): Uint8Array {
    const made = this.#made(hash);
    if (made !== undefined) return made;
    const node = this.#table.get(hash);
    if (node === undefined) throw new CorruptNodeError(`0x${nameOf(hash)}`, 'bytes with this hash', 'nothing');
    const actual = keccak256(node);
    // Bytes are compared, which is faster than hexadecimal text; proofs load many nodes.
    if (Buffer.compare(actual, hash) !== 0)
      throw new CorruptNodeError(
        `0x${nameOf(hash)}`,
        'bytes with this hash',
        `bytes with the hash 0x${nameOf(actual)}`,
      );
    return node;
  }

  /** Finds a new node. */
  #made(hash: Uint8Array): Uint8Array | undefined {
    if (this.#fresh.size === 0 && this.#taken.size === 0) return undefined;
    const name = nameOf(hash);
    return this.#fresh.get(name) ?? this.#taken.get(name);
  }

  save(hash: Uint8Array, node: Uint8Array): void {
    this.#fresh.set(nameOf(hash), node);
  }

  /** Returns the new nodes since the last call by their hashes in hexadecimal digits. They stay readable. */
  takeFresh(): ReadonlyMap<string, Uint8Array> {
    const fresh = this.#fresh;
    for (const [name, node] of fresh) this.#taken.set(name, node);
    this.#fresh = new Map();
    return fresh;
  }

  /** Opens the trie with a root over these nodes. Its keys are hashes. */
  trie(root: Uint8Array): Trie {
    return new Trie(this, root);
  }
}

function nameOf(hash: Uint8Array): string {
  return Buffer.from(hash.buffer, hash.byteOffset, hash.byteLength).toString('hex');
}
