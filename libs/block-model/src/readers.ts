import type { Block } from './block.ts';
import type { ChainSpec } from './chain-spec.ts';
import type { Header } from './header.ts';
import type { Hex } from './hex.ts';
import type { Receipt } from './receipt.ts';

/** An account as the state trie holds it (Yellow Paper, section 4.1). */
export interface AccountState {
  readonly nonce: bigint;
  /** Wei. */
  readonly balance: bigint;
  /** Keccak-256 of the code, 32 bytes; that of the empty string for an account without code. */
  readonly codeHash: Uint8Array;
  /** Root of its storage trie, where the source knows it: tells whether a new contract may take the address (EIP-7610). */
  readonly storageRoot?: Uint8Array;
}

/**
 * The state after one block. Synchronous on purpose: an interpreter asks thousands of times per call, and a source
 * that has to wait is served by prefetching, not by making every read a promise.
 */
export interface StateReader {
  /** `undefined` for an account that does not exist. `address` is 20 bytes. */
  getAccount(address: Uint8Array): AccountState | undefined;
  /** The code with that keccak-256; empty for the empty code hash. @throws STATE_CORRUPT */
  getCode(codeHash: Uint8Array): Uint8Array;
  /** The value at a 32-byte slot, without leading zeros; empty for zero. */
  getStorage(address: Uint8Array, slot: Uint8Array): Uint8Array;
}

/** A proof of an account and of slots of it: RLP of nodes, each the one that the node before it names. */
export interface AccountProof {
  readonly account: AccountState | undefined;
  /** Root of the storage trie; that of the empty trie for an account without storage. */
  readonly storageRoot: Uint8Array;
  readonly accountNodes: readonly Uint8Array[];
  readonly slots: readonly { readonly value: Uint8Array; readonly nodes: readonly Uint8Array[] }[];
}

/** A part of the storage of an account, in the order of the hashes of its slots. */
export interface StorageRange {
  /** The account has no storage at all. */
  readonly isEmpty: boolean;
  readonly entries: readonly {
    /** Keccak-256 of the slot. */
    readonly hash: Uint8Array;
    /** Unknown where the account has more slots than are looked through. */
    readonly slot: Uint8Array | undefined;
    /** Without leading zeros. */
    readonly value: Uint8Array;
  }[];
  /** The hash that comes next, where there is one. */
  readonly next: Uint8Array | undefined;
}

/** What became of an account. */
export interface AccountChange {
  /** 20 bytes. */
  readonly address: Uint8Array;
  /** `undefined` where it does not exist any more. */
  readonly account: Pick<AccountState, 'nonce' | 'balance' | 'codeHash'> | undefined;
  /** Its storage was emptied before the slots below were written. */
  readonly isStorageCleared: boolean;
  /** Slots of 32 bytes with values without leading zeros, empty for zero. */
  readonly slots: readonly (readonly [Uint8Array, Uint8Array])[];
  /** Its code, where that was deployed by what changed it. */
  readonly code?: Uint8Array;
}

/** Roots of states that follow from one another and are nowhere written. */
export interface StateRoots {
  /** Makes changes to the state that the last call left, and tells the root of what comes out. */
  after(changes: readonly AccountChange[]): Promise<Uint8Array>;
}

/** A block to execute on the state after its parent. */
export interface BlockRun {
  readonly spec: ChainSpec;
  /** With transactions, uncles and withdrawals that its header names. */
  readonly block: Block;
  readonly parent: Header;
  /** The state after the parent: an object of its own for each block, since what was read of it may be kept. */
  readonly state: StateReader;
  /** Where changes go; what it tells after the last one is the state root after the block. */
  readonly roots: StateRoots;
  /** Hashes of ancestors, for BLOCKHASH. */
  readonly blockHashes: (number: bigint) => Hex | undefined;
}

/** What a block came to: to be held to its header. */
export interface BlockOutcome {
  readonly receipts: readonly Receipt[];
  readonly stateRoot: Hex;
  /** From Prague on (EIP-7685). */
  readonly requestsHash?: Hex | undefined;
}

/** Executes blocks. What it does not find in a block's header it must not trust to be there. */
export interface BlockRunner {
  readonly name: string;
  /** @throws where a transaction is not valid; changes that were handed on before are to be thrown away then */
  run(run: BlockRun): Promise<BlockOutcome>;
}

/** The names of blocks that the JSON-RPC specification knows besides numbers. */
export type BlockTag = 'latest' | 'earliest' | 'pending' | 'safe' | 'finalized';

/** Where a value stands in a log: its address, or the topic at an index. */
export type LogField = 'address' | 0 | 1 | 2 | 3;

/** What a log must have in a field. */
export interface LogCondition {
  readonly field: LogField;
  readonly values: readonly Hex[];
}

/** One chain: its blocks, checked against their names as they are read, and the state after each of them. */
export interface ChainReader {
  readonly chainId: bigint;
  readonly genesisHash: Hex;
  /** Hash of the canonical block at a height, or `undefined`. */
  hashByNumber(number: bigint): Hex | undefined;
  /** Hash and height of the block a tag stands for; `pending` is the head, since this chain only reads. */
  blockByTag(tag: BlockTag): { readonly hash: Hex; readonly number: bigint };
  header(hash: Hex): Header | undefined;
  block(hash: Hex): Block | undefined;
  /** Sum of the difficulties from genesis up to and including the block. */
  totalDifficulty(hash: Hex): bigint | undefined;
  /** How often the chain has changed to another branch: readers of a state made before are void when this has moved. */
  readonly generation: bigint;
  /**
   * Heights of canonical blocks in a range, ascending, whose logs have one of the values in each of the fields, though
   * not always in the same log.
   */
  heightsWithLogs(
    fields: readonly [LogCondition, ...LogCondition[]],
    range: { readonly from: bigint; readonly to: bigint },
  ): bigint[];
  /** True when the block is on the canonical chain. */
  isCanonical(hash: Hex): boolean;
  /** The receipts of a block, held to its header; `undefined` for a block that is not here. */
  receipts(hash: Hex): readonly Receipt[] | undefined;
  /** Where a transaction of the canonical chain stands. */
  transactionPlace(hash: Hex): { readonly blockHash: Hex; readonly index: number } | undefined;
  /**
   * The nodes from the root of the state after a block down to an account, and from the root of its storage down to
   * slots (EIP-1186); `undefined` where the tries are not kept.
   */
  proof(hash: Hex, address: Uint8Array, slots: readonly Uint8Array[]): AccountProof | undefined;
  /** Roots of states that would follow the block; `undefined` where the tries are not kept. */
  stateRoots(hash: Hex): StateRoots | undefined;
  /** The state after a block, or `undefined` where it is not kept. */
  stateAt(hash: Hex): StateReader | undefined;
}
