import { keccak256 } from '@cairn/cid';
import type { Database } from '@cairn/embedded-store';
import { CorruptNodeError, Trie, type TrieNodeStore } from '@cairn/trie';

/**
 * Nodes of tries by their keccak-256: new ones wait here until they are written with the block that made them, older
 * ones are read from the table and held to their names.
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
    // Comparing bytes is cheaper than comparing names, which matters for proofs.
    if (Buffer.compare(actual, hash) !== 0)
      throw new CorruptNodeError(
        `0x${nameOf(hash)}`,
        'bytes with this hash',
        `bytes with the hash 0x${nameOf(actual)}`,
      );
    return node;
  }

  /** Finds a node that was made here. */
  #made(hash: Uint8Array): Uint8Array | undefined {
    if (this.#fresh.size === 0 && this.#taken.size === 0) return undefined;
    const name = nameOf(hash);
    return this.#fresh.get(name) ?? this.#taken.get(name);
  }

  save(hash: Uint8Array, node: Uint8Array): void {
    this.#fresh.set(nameOf(hash), node);
  }

  /** The nodes made since the last call, by their names in hexadecimal digits. They stay readable here. */
  takeFresh(): ReadonlyMap<string, Uint8Array> {
    const fresh = this.#fresh;
    for (const [name, node] of fresh) this.#taken.set(name, node);
    this.#fresh = new Map();
    return fresh;
  }

  /** A trie over these nodes, whose keys are hashes. */
  trie(root: Uint8Array): Trie {
    return new Trie(this, root);
  }
}

function nameOf(hash: Uint8Array): string {
  return Buffer.from(hash.buffer, hash.byteOffset, hash.byteLength).toString('hex');
}
