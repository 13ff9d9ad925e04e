import {
  type AccountProof,
  type Block,
  type BlockTag,
  bigintFromBytes,
  bytesFromHex,
  type ChainReader,
  type ChainSpec,
  CorruptBlockError,
  decodeHeader,
  decodeRlp,
  type Header,
  type Hex,
  hexFromBytes,
  joinBlock,
  type LogCondition,
  type Receipt,
  type StateRoots,
  type StorageRange,
  verifyBlock,
  verifyReceipts,
} from '@cairn/block-model';
import { keccak256 } from '@cairn/cid';
import { emptyTrieRoot, readProof } from '@cairn/trie';
import { LRUCache } from 'lru-cache';
import { BranchState } from './branch-state.ts';
import { type BlockPlace, branchOf, changesOf, generationOf, headFrom, headOf, reorgTo } from './canonical-chain.ts';
import { BlockRefusedError } from './errors.ts';
import { FlatState, type RecordReader } from './flat-state.ts';
import { hasOneOf, heightsWith } from './log-index.ts';
import { modifiedAccounts } from './modified-accounts.ts';
import { decodeReceipts } from './read-receipts.ts';
import { stateRootsOver } from './state-roots.ts';
import { readStorageRange } from './storage-range.ts';
import { heightKey, metaKeys, openTables, type Tables } from './tables.ts';
import { TrieNodes } from './trie-nodes.ts';
import { type WitnessScope, witnessNodes } from './witness-nodes.ts';

export interface ChainStoreOptions {
  /** Directory of the LMDB environment; made when absent. Several processes and threads may open it at once. */
  readonly directory: string;
}

/** Which blocks the tags stand for. */
export interface ForkChoice {
  readonly head?: Hex;
  readonly safe?: Hex;
  readonly finalized?: Hex;
}

/** Verified blocks and headers in memory, at most. */
const blocksCachedMax = 256;
const headersCachedMax = 1_024;

/**
 * One chain on disk. Every block is held to its hash and its roots when it is read; what was verified stays in a
 * bounded cache.
 */
export class ChainStore implements ChainReader {
  readonly tables: Tables;
  readonly #blocks = new LRUCache<Hex, Block>({ max: blocksCachedMax });
  readonly #headers = new LRUCache<Hex, Header>({ max: headersCachedMax });
  readonly #receipts = new LRUCache<Hex, readonly Receipt[]>({ max: blocksCachedMax });
  #spec: ChainSpec | undefined;
  /** What was read last, and what it means: every request asks for it. */
  #headBytes = Buffer.alloc(0);
  #head: BlockPlace | undefined;

  constructor(tables: Tables) {
    this.tables = tables;
  }

  /** Where its files are. */
  get directory(): string {
    return this.tables.environment.directory;
  }

  /** The rules of the chain; `undefined` before its genesis is imported. */
  get spec(): ChainSpec | undefined {
    // Once it is there it stays.
    this.#spec ??= this.#readSpec();
    return this.#spec;
  }

  #readSpec(): ChainSpec | undefined {
    const found = this.tables.meta.get(metaKeys.spec);
    return found && (JSON.parse(Buffer.from(found).toString()) as ChainSpec);
  }

  get chainId(): bigint {
    return BigInt(this.spec?.chainId ?? 0);
  }

  get genesisHash(): Hex {
    return this.hashByNumber(0n) ?? '0x';
  }

  /** The newest block. @throws BLOCK_CORRUPT when there is none */
  get head(): { readonly hash: Hex; readonly number: bigint } {
    const head = this.headOrNone;
    if (head === undefined) throw new CorruptBlockError('latest', 'header', 'an imported genesis', 'missing');
    return head;
  }

  get headOrNone(): { readonly hash: Hex; readonly number: bigint } | undefined {
    // Another process may be importing: no snapshot of this turn is reused.
    this.tables.environment.refresh();
    const found = this.tables.meta.get(metaKeys.head);
    if (found === undefined) return undefined;
    if (!this.#headBytes.equals(found)) {
      this.#head = headFrom(found);
      this.#headBytes = Buffer.from(found);
    }
    return this.#head;
  }

  /** The finalized block, where one was named. */
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
    // Where nobody has said what is safe or final, what was imported counts as both.
    const hash = this.tables.meta.get(metaKeys[tag]) ?? (tag === 'safe' && this.tables.meta.get(metaKeys.finalized));
    const header = hash && this.header(hexFromBytes(hash));
    return header ? { hash: header.hash, number: header.number } : head;
  }

  get generation(): bigint {
    return generationOf(this.tables);
  }

  /**
   * Says which blocks are safe and final, and which is the newest; what is left out stays as it is. All in one step.
   * @throws BLOCK_REFUSED for a block that is not here, or a head that leaves the finalized block
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
    const cached = this.#headers.get(hash);
    if (cached) return cached;
    const raw = this.tables.headers.get(bytesFromHex(hash));
    if (raw === undefined) return undefined;
    const header = this.#decoded(hash, () => decodeHeader(raw));
    if (header.hash !== hash) throw new CorruptBlockError(hash, 'hash', hash, header.hash);
    this.#headers.set(hash, header);
    return header;
  }

  block(hash: Hex): Block | undefined {
    const cached = this.#blocks.get(hash);
    if (cached) return cached;
    const header = this.header(hash);
    if (header === undefined) return undefined;
    const body = this.tables.bodies.get(bytesFromHex(hash));
    if (body === undefined) throw new CorruptBlockError(hash, 'body', 'its transactions', 'missing');
    const block = this.#decoded(hash, () => joinBlock(header, body));
    verifyBlock(block, hash);
    this.#blocks.set(hash, block);
    return block;
  }

  #decoded<T>(hash: Hex, decode: () => T): T {
    try {
      return decode();
    } catch (error) {
      throw new CorruptBlockError(hash, 'encoding', 'RLP', error instanceof Error ? error.message : 'something else');
    }
  }

  totalDifficulty(hash: Hex): bigint | undefined {
    const found = this.tables.difficulties.get(bytesFromHex(hash));
    return found && bigintFromBytes(found);
  }

  isCanonical(hash: Hex): boolean {
    const header = this.header(hash);
    return header !== undefined && this.hashByNumber(header.number) === hash;
  }

  receipts(hash: Hex): readonly Receipt[] | undefined {
    const cached = this.#receipts.get(hash);
    if (cached) return cached;
    const header = this.header(hash);
    if (header === undefined) return undefined;
    const raw = this.tables.receipts.get(bytesFromHex(hash));
    if (raw === undefined) throw new CorruptBlockError(hash, 'receipts', 'its receipts', 'missing');
    const receipts = this.#decoded(hash, () => decodeReceipts(raw));
    verifyReceipts(header, receipts);
    this.#receipts.set(hash, receipts);
    return receipts;
  }

  transactionPlace(hash: Hex): { readonly blockHash: Hex; readonly index: number } | undefined {
    const found = this.tables.transactions.get(bytesFromHex(hash));
    if (found === undefined) return undefined;
    const place = Buffer.from(found);
    const blockHash = hexFromBytes(place.subarray(0, 32));
    return this.isCanonical(blockHash) ? { blockHash, index: place.readUInt32BE(32) } : undefined;
  }

  proof(hash: Hex, address: Uint8Array, slots: readonly Uint8Array[]): AccountProof | undefined {
    const header = this.header(hash);
    if (header === undefined) return undefined;
    const nodes = new TrieNodes(this.tables.nodes);
    const account = readProof(nodes, bytesFromHex(header.stateRoot), keccak256(address));
    const fields = account.value && decodeRlp('account', account.value);
    const [nonce, balance, storageRoot = emptyTrieRoot, codeHash] = (fields ?? []) as Uint8Array[];
    const state = nonce &&
      balance &&
      codeHash && { nonce: bigintFromBytes(nonce), balance: bigintFromBytes(balance), codeHash, storageRoot };
    return {
      account: state,
      storageRoot,
      accountNodes: account.nodes,
      slots: slots.map((slot) => {
        const found = readProof(nodes, storageRoot, keccak256(slot));
        const value = found.value && decodeRlp('storage value', found.value);
        return { value: value instanceof Uint8Array ? value : new Uint8Array(0), nodes: found.nodes };
      }),
    };
  }

  /** The state after any block that is here, on the chain or on a branch; `undefined` where it is not kept. */
  stateAt(hash: Hex): RecordReader | undefined {
    const { tables } = this;
    const header = this.header(hash);
    if (header === undefined) return undefined;
    if (this.hashByNumber(header.number) === hash) return new FlatState(tables, header.number);
    const { base, blocks } = branchOf(tables, hash);
    if (blocks.some((block) => tables.changes.get(bytesFromHex(block.hash)) === undefined)) return undefined;
    const changes = blocks.flatMap((block) => changesOf(tables, block));
    return new BranchState(new FlatState(tables, base.number), changes);
  }

  /**
   * Slots of an account after a block in the order of their hashes, from the first that is not before `start` on; `undefined`
   * where the state is not kept.
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
   * Accounts that the state after a block has otherwise than that after an earlier one, or has alone, in the order of the
   * hashes of their addresses; `undefined` where a state is not kept, or there are too many accounts to look through.
   */
  modifiedAccounts(from: Hex, to: Hex): Uint8Array[] | undefined {
    const [before, after] = [this.stateAt(from), this.stateAt(to)];
    if (before === undefined || after === undefined) return undefined;
    return modifiedAccounts(this.tables, { before, after, blocks: this.#between(from, to) });
  }

  /** The blocks between two and the last that they have in common, the newer ones first. */
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
    return stateRootsOver(state, new TrieNodes(this.tables.nodes), bytesFromHex(header.stateRoot));
  }

  /** The nodes that a block on top of this one needs; `undefined` where the state is not kept. See {@link witnessNodes}. */
  async witnessNodes(hash: Hex, scope: WitnessScope): Promise<readonly Uint8Array[] | undefined> {
    const header = this.header(hash);
    const state = this.stateAt(hash);
    if (header === undefined || state === undefined) return undefined;
    return witnessNodes(this.tables.nodes, state, bytesFromHex(header.stateRoot), scope);
  }

  close(): Promise<void> {
    return this.tables.environment.close();
  }
}

/** Opens a chain. @throws STORE_UNAVAILABLE, STORE_CORRUPT, STORE_VERSION_UNSUPPORTED */
export async function openChainStore({ directory }: ChainStoreOptions): Promise<ChainStore> {
  return new ChainStore(await openTables(directory));
}
