import type { Block } from './block.ts';
import type { ChainSpec } from './chain-spec.ts';
import type { Header } from './header.ts';
import type { Hex } from './hex.ts';
import type { Receipt } from './receipt.ts';

/** An account of the state trie (Yellow Paper, section 4.1). */
export interface AccountState {
  readonly nonce: bigint;
  /** Wei. */
  readonly balance: bigint;
  /** Keccak-256 of the code, 32 bytes; keccak-256 of the empty string for an account without code. */
  readonly codeHash: Uint8Array;
  /** Root of the storage trie, if available: decides whether a contract may be created at the address (EIP-7610). */
  readonly storageRoot?: Uint8Array;
}

/**
 * State after one block. Reads are synchronous, since an interpreter reads thousands of times per call. An asynchronous source
 * must prefetch; a promise per read would be too slow.
 */
export interface StateReader {
  /** `undefined` for an account that does not exist. `address` is 20 bytes. */
  getAccount(address: Uint8Array): AccountState | undefined;
  /** Returns the code with this keccak-256; empty for the empty code hash. @throws STATE_CORRUPT */
  getCode(codeHash: Uint8Array): Uint8Array;
  /** Returns the value of a 32-byte slot without leading zeros; empty for zero. */
  getStorage(address: Uint8Array, slot: Uint8Array): Uint8Array;
  /** Code is read from this reader alone, not from a cache by code hash that states share. Default: false. */
  readonly isolatesCode?: boolean;
}

/** Proof of an account and its slots: RLP of trie nodes from the root down, each referenced by its predecessor. */
export interface AccountProof {
  readonly account: AccountState | undefined;
  /** Root of the storage trie; the empty root for an account without storage. */
  readonly storageRoot: Uint8Array;
  readonly accountNodes: readonly Uint8Array[];
  readonly slots: readonly { readonly value: Uint8Array; readonly nodes: readonly Uint8Array[] }[];
}

/** Part of the storage of an account, ordered by the hashes of its slots. */
export interface StorageRange {
  /** The account has no storage. */
  readonly isEmpty: boolean;
  readonly entries: readonly {
    /** Keccak-256 of the slot. */
    readonly hash: Uint8Array;
    /** `undefined` when the account has more slots than the search limit. */
    readonly slot: Uint8Array | undefined;
    /** Without leading zeros. */
    readonly value: Uint8Array;
  }[];
  /** Hash of the first slot after this range; `undefined` at the end. */
  readonly next: Uint8Array | undefined;
}

/** New state of an account that was changed. */
export interface AccountChange {
  /** 20 bytes. */
  readonly address: Uint8Array;
  /** `undefined` for a deleted account. */
  readonly account: Pick<AccountState, 'nonce' | 'balance' | 'codeHash'> | undefined;
  /** The storage was emptied before `slots` were written. */
  readonly isStorageCleared: boolean;
  /** Pairs of a 32-byte slot and its value without leading zeros; empty for zero. */
  readonly slots: readonly (readonly [Uint8Array, Uint8Array])[];
  /** The code, if this change deployed it. */
  readonly code?: Uint8Array;
}

/** Computes roots of consecutive states that are not stored. */
export interface StateRoots {
  /** Applies changes to the state of the last call, and returns the new state root. */
  after(changes: readonly AccountChange[]): Promise<Uint8Array>;
}

/** A block to execute on the state after its parent. */
export interface BlockRun {
  readonly spec: ChainSpec;
  /** Block whose transactions, uncles and withdrawals match its header. */
  readonly block: Block;
  readonly parent: Header;
  /** State after the parent: a new object for each block, since a runner may cache what it reads by object. */
  readonly state: StateReader;
  /** Receives the changes. The root that it returns for the last change is the state root of the block. */
  readonly roots: StateRoots;
  /** Returns hashes of ancestors, for BLOCKHASH. */
  readonly blockHashes: (number: bigint) => Hex | undefined;
}

/** Result of executing a block; the caller verifies it against the header. */
export interface BlockOutcome {
  readonly receipts: readonly Receipt[];
  readonly stateRoot: Hex;
  /** Present from Prague on (EIP-7685). */
  readonly requestsHash?: Hex | undefined;
}

/** Executes blocks. Fields of later forks may be missing in a header, so a runner must check them before use. */
export interface BlockRunner {
  readonly name: string;
  /** @throws for an invalid transaction; the caller then discards the changes that `roots` received */
  run(run: BlockRun): Promise<BlockOutcome>;
}

/** Block tags of the JSON-RPC specification. */
export type BlockTag = 'latest' | 'earliest' | 'pending' | 'safe' | 'finalized';

/** Field of a log: its address, or the topic at an index. */
export type LogField = 'address' | 0 | 1 | 2 | 3;

/** Values that a filter accepts in a field of a log. */
export interface LogCondition {
  readonly field: LogField;
  readonly values: readonly Hex[];
}

/** One chain: its blocks, each verified against its hash when read, and the state after each block. */
export interface ChainReader {
  readonly chainId: bigint;
  readonly genesisHash: Hex;
  /** Returns the hash of the canonical block at a height; `undefined` above the head. */
  hashByNumber(number: bigint): Hex | undefined;
  /** Returns hash and height of the block of a tag; `pending` is the head, since a reader has no pending block. */
  blockByTag(tag: BlockTag): { readonly hash: Hex; readonly number: bigint };
  header(hash: Hex): Header | undefined;
  block(hash: Hex): Block | undefined;
  /** Returns the sum of the difficulties from genesis up to and including the block. */
  totalDifficulty(hash: Hex): bigint | undefined;
  /** Number of reorgs of the chain. A state reader is invalid once this number has changed since its creation. */
  readonly generation: bigint;
  /**
   * Returns heights of canonical blocks in a range, ascending, whose logs match every condition. Different logs of a block may
   * match different conditions.
   */
  heightsWithLogs(
    fields: readonly [LogCondition, ...LogCondition[]],
    range: { readonly from: bigint; readonly to: bigint },
  ): bigint[];
  /** Reports whether the block is on the canonical chain. */
  isCanonical(hash: Hex): boolean;
  /** Returns the receipts of a block, verified against its header; `undefined` for an unknown block. */
  receipts(hash: Hex): readonly Receipt[] | undefined;
  /** Returns block hash and index of a transaction on the canonical chain. */
  transactionPlace(hash: Hex): { readonly blockHash: Hex; readonly index: number } | undefined;
  /**
   * Returns the trie nodes from the state root of a block down to an account, and from its storage root down to slots
   * (EIP-1186); `undefined` when the tries are not stored.
   */
  proof(hash: Hex, address: Uint8Array, slots: readonly Uint8Array[]): AccountProof | undefined;
  /** Returns a computation of state roots on top of the block; `undefined` when the tries are not stored. */
  stateRoots(hash: Hex): StateRoots | undefined;
  /** Returns the state after a block; `undefined` when it is not stored. */
  stateAt(hash: Hex): StateReader | undefined;
}
