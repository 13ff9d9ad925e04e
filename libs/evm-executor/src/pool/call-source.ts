import type { ChainReader, ChainSpec, Hex, StorageRange } from '@cairn/block-model';
import type { BlockAccesses } from '../block/collect-block-accesses.ts';
import type { StorageRangeJob } from './execution-job.ts';

/**
 * The part of a {@link ChainReader} through which a worker reads a chain. All reads are synchronous.
 * Without `hashByNumber` and `isCanonical`, BLOCKHASH follows the parents of the header. Simulations need `stateRoots`, traces of
 * transactions need `block`. A worker keeps readers of states until `generation` changes.
 */
export type CallSource = Pick<ChainReader, 'header' | 'stateAt'> &
  Partial<Pick<ChainReader, 'hashByNumber' | 'isCanonical' | 'block' | 'stateRoots' | 'generation'>> & {
    /** Slots of an account, ordered by the hashes of their keys. {@link StorageRangeJob} needs it. */
    storageRange?(
      hash: Hex,
      address: Uint8Array,
      range: Pick<StorageRangeJob, 'start' | 'limit'>,
    ): StorageRange | undefined;
    /** Accounts that differ between two states. {@link ModifiedAccountsJob} needs it. */
    modifiedAccounts?(from: Hex, to: Hex): readonly Uint8Array[] | undefined;
    /**
     * Trie nodes of the state after a block: those that prove `reads`, and those needed to compute the root after `changes`.
     * {@link ExecutionWitnessJob} needs it.
     */
    witnessNodes?(
      hash: Hex,
      scope: Pick<BlockAccesses, 'reads' | 'changes'>,
    ): Promise<readonly Uint8Array[] | undefined>;
    /** Called when a worker shuts down in order. A worker that is killed does not call it. */
    close?(): void | Promise<void>;
  };

/** Location of the function that opens a {@link CallSource}: each worker imports the module and calls the export. */
export interface CallSourceModule {
  /** A URL that `import()` accepts, such as `import.meta.resolve('@cairn/chain-store')`. */
  readonly moduleUrl: string;
  /** Name of a function `(options) => CallSource | Promise<CallSource>`. */
  readonly exportName: string;
  /** Argument of the function. It must survive structured clone. */
  readonly options?: unknown;
}

/** A chain on which a pool executes jobs. */
export interface CallChain {
  readonly spec: ChainSpec;
  readonly source: CallSourceModule;
}
