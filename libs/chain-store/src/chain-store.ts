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
  decodeReceipt,
  decodeRlp,
  encodeRlp,
  type Header,
  type Hex,
  hexFromBytes,
  joinBlock,
  type Receipt,
  type StateReader,
  type StateRoots,
  verifyBlock,
  verifyReceipts,
} from '@cairn/block-model';
import { keccak256 } from '@cairn/cid';
import { LRUCache } from 'lru-cache';
import { FlatState } from './flat-state.ts';
import { readProof } from './read-proof.ts';
import { stateRootsOver } from './state-roots.ts';
import { heightKey, metaKeys, openTables, type Tables } from './tables.ts';
import { TrieNodes } from './trie-nodes.ts';

export interface ChainStoreOptions {
  /** Directory of the LMDB environment; made when absent. Several processes and threads may open it at once. */
  readonly directory: string;
}

/** Verified blocks and headers in memory, at most. */
const blocksCachedMax = 256;
const headersCachedMax = 1_024;
const emptyTrieRoot = keccak256(Uint8Array.of(0x80));

/**
 * One chain on disk. Every block is held to its hash and its roots when it is read; what was verified stays in a
 * bounded cache.
 */
export class ChainStore implements ChainReader {
  readonly tables: Tables;
  readonly #blocks = new LRUCache<Hex, Block>({ max: blocksCachedMax });
  readonly #headers = new LRUCache<Hex, Header>({ max: headersCachedMax });
  readonly #receipts = new LRUCache<Hex, readonly Receipt[]>({ max: blocksCachedMax });

  constructor(tables: Tables) {
    this.tables = tables;
  }

  /** Where its files are. */
  get directory(): string {
    return this.tables.environment.directory;
  }

  /** The rules of the chain; `undefined` before its genesis is imported. */
  get spec(): ChainSpec | undefined {
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
    return found && { hash: hexFromBytes(found.subarray(0, 32)), number: bigintFromBytes(found.subarray(32)) };
  }

  hashByNumber(number: bigint): Hex | undefined {
    if (number < 0n || number >= 2n ** 64n) return undefined;
    const hash = this.tables.canonical.get(heightKey(number));
    return hash && hexFromBytes(hash);
  }

  blockByTag(tag: BlockTag): { readonly hash: Hex; readonly number: bigint } {
    // All blocks here are imported and final: nothing that a reorganization could take back is ever stored.
    return tag === 'earliest' ? { hash: this.genesisHash, number: 0n } : this.head;
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
    const receipts = this.#decoded(hash, () => {
      const items = decodeRlp('receipts', raw);
      if (!Array.isArray(items)) throw new Error('no list');
      return items.map((item) => decodeReceipt(item instanceof Uint8Array ? item : encodeRlp(item)));
    });
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
    const { nodes } = this.tables;
    const account = readProof(nodes, bytesFromHex(header.stateRoot), address);
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
        const found = readProof(nodes, storageRoot, slot);
        const value = found.value && decodeRlp('storage value', found.value);
        return { value: value instanceof Uint8Array ? value : new Uint8Array(0), nodes: found.nodes };
      }),
    };
  }

  stateAt(hash: Hex): StateReader | undefined {
    return this.#flatState(hash);
  }

  stateRoots(hash: Hex): StateRoots | undefined {
    const header = this.header(hash);
    const state = this.#flatState(hash);
    if (header === undefined || state === undefined) return undefined;
    return stateRootsOver(state, new TrieNodes(this.tables.nodes), bytesFromHex(header.stateRoot));
  }

  #flatState(hash: Hex): FlatState | undefined {
    const header = this.header(hash);
    if (header === undefined || this.hashByNumber(header.number) !== hash) return undefined;
    return new FlatState(this.tables, header.number);
  }

  close(): Promise<void> {
    return this.tables.environment.close();
  }
}

/** Opens a chain. @throws STORE_UNAVAILABLE, STORE_CORRUPT, STORE_VERSION_UNSUPPORTED */
export async function openChainStore({ directory }: ChainStoreOptions): Promise<ChainStore> {
  return new ChainStore(await openTables(directory));
}
