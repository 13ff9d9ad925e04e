import {
  type AccountProof,
  type Block,
  type BlockTag,
  bigintFromBytes,
  bytesFromHex,
  type ChainReader,
  type ChainSpec,
  CorruptBlockError,
  type Header,
  type Hex,
  hexFromBytes,
  type LogCondition,
  type Receipt,
  type StateRoots,
  type StateTrie,
  type StorageRange,
  stateRootsOver,
  type WitnessScope,
  witnessNodes,
} from '@cairn/block-model';
import { readAccountProof } from './account-proof.ts';
import { BranchState } from './branch-state.ts';
import { type BlockPlace, branchOf, changesOf, generationOf, headFrom, headOf, reorgTo } from './canonical-chain.ts';
import { BlockRefusedError } from './errors.ts';
import { FlatState, type RecordReader } from './flat-state.ts';
import { hasOneOf, heightsWith } from './log-index.ts';
import { modifiedAccounts } from './modified-accounts.ts';
import { readStorageRange } from './storage-range.ts';
import { heightKey, metaKeys, openTables, type Tables } from './tables.ts';
import { type TransactionPlace, TransactionPlaces } from './transaction-places.ts';
import { TrieNodes } from './trie-nodes.ts';
import { VerifiedBlocks } from './verified-blocks.ts';

export interface ChainStoreOptions {
  /** Directory of the LMDB environment; created when absent. Several processes and threads may open it concurrently. */
  readonly directory: string;
}

/** Blocks of the tags latest, safe and finalized. */
export interface ForkChoice {
  readonly head?: Hex;
  readonly safe?: Hex;
  readonly finalized?: Hex;
}

/**
 * One chain on disk. Every block is verified against its hash and roots when it is read; a bounded cache keeps verified blocks.
 */
export class ChainStore implements ChainReader {
  readonly tables: Tables;
  readonly #content: VerifiedBlocks;
  readonly #places: TransactionPlaces;
  #spec: ChainSpec | undefined;
  #stateFrom: bigint | undefined;
  #chainId: bigint | undefined;
  /** Record of the head and its decoded form, cached since every request reads it. */
  #headBytes = Buffer.alloc(0);
  #head: BlockPlace | undefined;

  constructor(tables: Tables) {
    this.tables = tables;
    this.#content = new VerifiedBlocks(tables);
    this.#places = new TransactionPlaces(tables.transactions);
  }

  /** Directory of the files. */
  get directory(): string {
    return this.tables.environment.directory;
  }

  /** Rules of the chain; `undefined` before its genesis is imported. */
  get spec(): ChainSpec | undefined {
    // The rules never change after the import of the genesis.
    this.#spec ??= this.#readSpec();
    return this.#spec;
  }

  #readSpec(): ChainSpec | undefined {
    const found = this.tables.meta.get(metaKeys.spec);
    return found && (JSON.parse(Buffer.from(found).toString()) as ChainSpec);
  }

  /** Height of the oldest state: 0, or the first state of the snapshot that the chain was restored from. */
  get stateFrom(): bigint {
    if (this.#stateFrom !== undefined) return this.#stateFrom;
    const found = bigintFromBytes(this.tables.meta.get(metaKeys.stateFrom) ?? new Uint8Array(0));
    // Never changes once the chain has its rules.
    if (this.spec !== undefined) this.#stateFrom = found;
    return found;
  }

  get chainId(): bigint {
    // Never changes once the chain has its rules.
    if (this.spec !== undefined) this.#chainId ??= BigInt(this.spec.chainId);
    return this.#chainId ?? 0n;
  }

  get genesisHash(): Hex {
    return this.hashByNumber(0n) ?? '0x';
  }

  /** Newest block. @throws BLOCK_CORRUPT when the store has no block */
  get head(): { readonly hash: Hex; readonly number: bigint } {
    const head = this.headOrNone;
    if (head === undefined) throw new CorruptBlockError('latest', 'header', 'an imported genesis', 'missing');
    return head;
  }

  /** Newest block; `undefined` before the genesis is imported. */
  get headOrNone(): { readonly hash: Hex; readonly number: bigint } | undefined {
    // Another process may be importing, so the read snapshot of this turn of the event loop is renewed.
    this.tables.environment.refresh();
    const found = this.tables.meta.get(metaKeys.head);
    if (found === undefined) return undefined;
    if (!this.#headBytes.equals(found)) {
      this.#head = headFrom(found);
      this.#headBytes = Buffer.from(found);
    }
    return this.#head;
  }

  /** Finalized block; `undefined` until one is set. */
  get finalizedOrNone(): Header | undefined {
    const hash = this.tables.meta.get(metaKeys.finalized);
    return hash && this.header(hexFromBytes(hash));
  }

  hashByNumber(number: bigint): Hex | undefined {
    if (number < 0n || number >= 2n ** 64n) return undefined;
    const hash = this.tables.canonical.get(heightKey(number));
    return hash && hexFromBytes(hash);
  }

  blockByTag(tag: BlockTag): { readonly hash: Hex; readonly number: bigint } {
    if (tag === 'earliest') return { hash: this.genesisHash, number: 0n };
    const { head } = this;
    if (tag === 'latest' || tag === 'pending') return head;
    // The head is safe and final until setForkChoice sets other blocks.
    const hash = this.tables.meta.get(metaKeys[tag]) ?? (tag === 'safe' && this.tables.meta.get(metaKeys.finalized));
    const header = hash && this.header(hexFromBytes(hash));
    return header ? { hash: header.hash, number: header.number } : head;
  }

  get generation(): bigint {
    return generationOf(this.tables);
  }

  /**
   * Sets the head and the safe and finalized blocks in one transaction. Omitted fields stay unchanged.
   * @throws BLOCK_REFUSED for a block that is not stored, or a head whose branch excludes the finalized block
   */
  async setForkChoice({ head, safe, finalized }: ForkChoice): Promise<void> {
    const { tables } = this;
    await tables.environment.transaction(() => {
      if (head !== undefined && headOf(tables)?.hash !== head) reorgTo(tables, head);
      for (const [key, hash] of [
        [metaKeys.safe, safe],
        [metaKeys.finalized, finalized],
      ] as const) {
        if (hash === undefined) continue;
        const { base } = branchOf(tables, hash);
        if (base.hash !== hash)
          throw new BlockRefusedError({ number: undefined, hash }, 'it is not on the canonical chain');
        tables.meta.put(key, bytesFromHex(hash));
      }
    });
  }

  heightsWithLogs(
    [first, ...others]: readonly [LogCondition, ...LogCondition[]],
    range: { readonly from: bigint; readonly to: bigint },
  ): bigint[] {
    const { logs } = this.tables;
    return heightsWith(logs, first.field, first.values, range).filter((height) =>
      others.every(({ field, values }) => hasOneOf(logs, field, values, height)),
    );
  }

  header(hash: Hex): Header | undefined {
    return this.#content.header(hash);
  }

  block(hash: Hex): Block | undefined {
    return this.#content.block(hash);
  }

  receipts(hash: Hex): readonly Receipt[] | undefined {
    return this.#content.receipts(hash);
  }

  totalDifficulty(hash: Hex): bigint | undefined {
    const found = this.tables.difficulties.get(bytesFromHex(hash));
    return found && bigintFromBytes(found);
  }

  isCanonical(hash: Hex): boolean {
    const header = this.header(hash);
    return header !== undefined && this.hashByNumber(header.number) === hash;
  }

  transactionPlace(hash: Hex): TransactionPlace | undefined {
    return this.#places.find(hash, (blockHash) => this.isCanonical(blockHash));
  }

  proof(hash: Hex, address: Uint8Array, slots: readonly Uint8Array[]): AccountProof | undefined {
    const header = this.header(hash);
    if (header === undefined || header.number < this.stateFrom) return undefined;
    return readAccountProof(new TrieNodes(this.tables.nodes), bytesFromHex(header.stateRoot), address, slots);
  }

  /** Returns the state after a stored block, canonical or on a branch; `undefined` when it is no longer stored. */
  stateAt(hash: Hex): RecordReader | undefined {
    const { tables } = this;
    const header = this.header(hash);
    if (header === undefined || header.number < this.stateFrom) return undefined;
    if (this.hashByNumber(header.number) === hash) return new FlatState(tables, header.number);
    const { base, blocks } = branchOf(tables, hash);
    if (blocks.some((block) => tables.changes.get(bytesFromHex(block.hash)) === undefined)) return undefined;
    const changes = blocks.flatMap((block) => changesOf(tables, block));
    return new BranchState(new FlatState(tables, base.number), changes);
  }

  /**
   * Returns slots of an account after a block in the order of their hashes, from the first hash at or after `start`;
   * `undefined` when the state is not stored.
   */
  storageRange(
    hash: Hex,
    address: Uint8Array,
    range: { readonly start: Uint8Array; readonly limit: number },
  ): StorageRange | undefined {
    const state = this.stateAt(hash);
    if (state === undefined) return undefined;
    const record = state.record(address) ?? { state: undefined, incarnation: 0 };
    return readStorageRange(this.tables, address, record, range);
  }

  /**
   * Returns accounts that are new or different in the state after `to` compared with the state after `from`, ordered by the
   * hashes of their addresses; `undefined` when a state is not stored, or the accounts to scan exceed the limit.
   */
  modifiedAccounts(from: Hex, to: Hex): Uint8Array[] | undefined {
    const [before, after] = [this.stateAt(from), this.stateAt(to)];
    if (before === undefined || after === undefined) return undefined;
    return modifiedAccounts(this.tables, { before, after, blocks: this.#between(from, to) });
  }

  /** Yields the blocks from both ends down to their last common ancestor, newest first. */
  *#between(one: Hex, other: Hex): Generator<Header> {
    const ends = [this.header(one), this.header(other)].filter((header) => header !== undefined);
    for (;;) {
      const [newer, older] = ends.sort((a, b) => Number(b.number - a.number));
      if (newer === undefined || older === undefined || newer.hash === older.hash) return;
      yield newer;
      const parent = this.header(newer.parentHash);
      if (parent === undefined) return;
      ends[0] = parent;
    }
  }

  stateRoots(hash: Hex): StateRoots | undefined {
    const header = this.header(hash);
    const state = this.stateAt(hash);
    if (header === undefined || state === undefined) return undefined;
    return stateRootsOver(this.#trieOf(state, header));
  }

  /** Returns the trie nodes that a child block needs; `undefined` when the state is not stored. See {@link witnessNodes}. */
  async witnessNodes(hash: Hex, scope: WitnessScope): Promise<readonly Uint8Array[] | undefined> {
    const header = this.header(hash);
    const state = this.stateAt(hash);
    if (header === undefined || state === undefined) return undefined;
    return witnessNodes(this.#trieOf(state, header), scope);
  }

  #trieOf(state: RecordReader, { stateRoot }: Header): StateTrie {
    return {
      root: bytesFromHex(stateRoot),
      nodes: new TrieNodes(this.tables.nodes),
      storageRootOf: (address) => state.record(address)?.state?.storageRoot,
    };
  }

  close(): Promise<void> {
    return this.tables.environment.close();
  }
}

/** Opens the store of a chain. @throws STORE_UNAVAILABLE, STORE_CORRUPT, STORE_VERSION_UNSUPPORTED */
export async function openChainStore({ directory }: ChainStoreOptions): Promise<ChainStore> {
  return new ChainStore(await openTables(directory));
}
