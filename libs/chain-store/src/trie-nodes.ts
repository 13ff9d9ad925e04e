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
    const name = nameOf(hash);
    const fresh = this.#fresh.get(name) ?? this.#taken.get(name);
    if (fresh !== undefined) return fresh;
    const node = this.#table.get(hash);
    if (node === undefined) throw new CorruptNodeError(`0x${name}`, 'bytes with this hash', 'nothing');
    const actual = nameOf(keccak256(node));
    if (actual !== name)
      throw new CorruptNodeError(`0x${name}`, 'bytes with this hash', `bytes with the hash 0x${actual}`);
    return node;
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
