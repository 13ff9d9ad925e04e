import { CorruptBlockError } from '@cairn/block-model';
import { keccak256 } from '@cairn/cid';
import type { Database } from '@cairn/embedded-store';
import { MerklePatriciaTrie } from '@ethereumjs/mpt';
import { type BatchDBOp, type DB, ValueEncoding } from '@ethereumjs/util';

type NodeDatabase = DB<string, string | Uint8Array>;

/**
 * Nodes of tries by their keccak-256: new ones wait here until they are written with the block that made them, older
 * ones are read from the table and held to their names.
 */
export class TrieNodes implements NodeDatabase {
  readonly #table: Database;
  readonly #taken = new Map<string, Uint8Array>();
  #fresh = new Map<string, Uint8Array>();

  constructor(table: Database) {
    this.#table = table;
  }

  async get(key: string): Promise<Uint8Array | undefined> {
    const fresh = this.#fresh.get(key) ?? this.#taken.get(key);
    if (fresh !== undefined) return fresh;
    const node = this.#table.get(Buffer.from(key, 'hex'));
    if (node === undefined) return undefined;
    const actual = Buffer.from(keccak256(node)).toString('hex');
    if (actual !== key) throw new CorruptBlockError('of the state', 'trie node', key, actual);
    return node;
  }

  async put(key: string, value: string | Uint8Array): Promise<void> {
    this.#fresh.set(key, typeof value === 'string' ? Buffer.from(value, 'hex') : value);
  }

  /** Nodes stay: other blocks' tries share them. */
  async del(): Promise<void> {}

  async batch(operations: BatchDBOp<string, string | Uint8Array>[]): Promise<void> {
    for (const operation of operations) if (operation.type === 'put') await this.put(operation.key, operation.value);
  }

  shallowCopy(): TrieNodes {
    return this;
  }

  async open(): Promise<void> {}

  /** The nodes made since the last call. They stay readable here. */
  takeFresh(): ReadonlyMap<string, Uint8Array> {
    const fresh = this.#fresh;
    for (const [key, node] of fresh) this.#taken.set(key, node);
    this.#fresh = new Map();
    return fresh;
  }

  /** A trie over these nodes whose keys are hashed, as those of state and storage are. */
  trie(root: Uint8Array): MerklePatriciaTrie {
    return new MerklePatriciaTrie({
      db: this,
      root,
      useKeyHashing: true,
      useKeyHashingFunction: keccak256,
      valueEncoding: ValueEncoding.Bytes,
      cacheSize: 0,
    });
  }
}
