import type { Header, Hex, Log, LogQuery, StateReader } from '@cairn/block-model';
import type { ChainStore, Network } from '@cairn/chain-store';
import type { UpstreamPool } from '@cairn/upstream';
import type { SyncStatus } from './sync-status.ts';

/** Blocks, transactions and receipts of a chain. */
export type BlockReader = Pick<
  ChainStore,
  | 'spec'
  | 'chainId'
  | 'genesisHash'
  | 'head'
  | 'headOrNone'
  | 'hashByNumber'
  | 'blockByTag'
  | 'isCanonical'
  | 'header'
  | 'block'
  | 'receipts'
  | 'transactionPlace'
  | 'totalDifficulty'
>;

/** Accounts and slots after a block, and proofs of them. */
export interface ChainState extends Pick<ChainStore, 'proof'> {
  /** State after a block; `undefined` if it is not kept. */
  stateAt(hash: Hex): StateReader | undefined;
}

/** Heights of the blocks that may hold wanted logs. */
export interface ChainLogs extends Pick<ChainStore, 'heightsWithLogs'> {
  /** Reads the matching logs of a range itself. Present where this takes fewer requests than a read of each block. */
  matchingLogs?(query: LogQuery & { readonly from: bigint; readonly to: bigint }): Promise<readonly PlacedLog[]>;
}

/** Log with its block, transaction and index. */
export interface PlacedLog {
  readonly log: Log;
  readonly header: Header;
  readonly transactionIndex: number;
  /** Index within the block. */
  readonly logIndex: number;
}

/** Changes of the head. */
export interface HeadSource {
  /** Calls the listener after each change of the head, until the returned function is called. */
  listen(listener: () => void): () => void;
}

/** Options of {@link Chain.read}. */
export interface ReadOptions {
  readonly signal?: AbortSignal;
  /** Called after the valid run if one of its reads rests on the agreement of upstreams alone. */
  readonly onQuorum?: () => void;
}

/**
 * One network as the methods see it. The composition root chooses the adapter of each part: {@link LocalChain} reads all of them
 * from a store of this machine, {@link UpstreamChain} from untrusted nodes.
 */
export interface Chain {
  readonly network: Pick<Network, 'name' | 'hosts' | 'requireFrom'>;
  readonly reader: BlockReader;
  readonly state: ChainState;
  readonly logs: ChainLogs;
  readonly heads: HeadSource;
  /** Blocks by which the source is ahead; `undefined` for a network without a source. */
  readonly lagBlocks: number | undefined;
  /** Nodes that the network is read from, and that transactions are sent to; `undefined` for an imported network. */
  readonly upstreams: UpstreamPool | undefined;
  syncStatus(): SyncStatus;
  /**
   * Runs `work` on one version of the chain. An imported network runs it once. A network with upstreams repeats it until all
   * content that it reads is fetched and verified, so `work` must have no side effects. Reads outside of `read` see cached
   * content only.
   * @throws the error of `work`, and those of the upstreams
   */
  read<T>(work: (chain: Chain) => T | Promise<T>, options?: ReadOptions): T | Promise<T>;
}
