import type { ChainReader, ChainSpec, Header, Hex, StorageRange } from '@cairn/block-model';
import type { BlockAccesses } from '../block/collect-block-accesses.ts';
import type { ExecutionJob, StorageRangeJob } from './execution-job.ts';

/**
 * The part of a {@link ChainReader} through which a worker reads a chain. All reads are synchronous.
 * Without `hashByNumber` and `isCanonical`, BLOCKHASH follows the parents of the header. Simulations need `stateRoots`, traces of
 * transactions need `block`. A worker keeps readers of states until `generation` changes.
 */
export type CallSource = Pick<ChainReader, 'header' | 'stateAt'> &
  Partial<Pick<ChainReader, 'hashByNumber' | 'isCanonical' | 'block' | 'stateRoots' | 'generation'>> & {
    /** Hash of an ancestor of a block, in place of `hashByNumber` and the parents, for BLOCKHASH. */
    ancestorHash?(header: Header, number: bigint): Hex | undefined;
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
    /**
     * Present on a source whose reads may have to be fetched first. A read of such a source that is not fetched throws an error with
     * the code `CONTENT_MISSING`. The run then restarts over an attempt.
     */
    attempt?(): SourceAttempt;
    /** Called when a worker shuts down in order. A worker that is killed does not call it. */
    close?(): void | Promise<void>;
  };

/** Reads of one run over a source that does not have everything yet. */
export interface SourceAttempt {
  /**
   * Reads of the same chain. A missing read is recorded and answered with an empty value, so that the run finds further ones. A missing
   * header or block throws an error, since no run can continue without it.
   */
  readonly source: CallSource;
  /** No read was missing so far. Otherwise the result or error of the run is discarded. */
  readonly isComplete: boolean;
  /** Missing reads for {@link CallChain.fetch}. They must survive structured clone. */
  missing(): unknown;
  /** Reads that were answered, for {@link CallChain.learn}. They must survive structured clone. */
  reads(): unknown;
}

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
  /**
   * Fetches the missing reads of a run, and more that the job probably needs. Resolves when the sources of all threads can read them;
   * the job then runs again. Called in the thread of the pool. Required for a source with `attempt`.
   */
  readonly fetch?: (missing: unknown, context: FetchContext) => Promise<void>;
  /** Called with the reads of each job that needed a fetch and has a result. */
  readonly learn?: (reads: unknown, job: ExecutionJob) => void;
}

/** Request for which reads are fetched. */
export interface FetchContext {
  readonly job: ExecutionJob;
  /** Counts the fetches of the job, from 1. */
  readonly round: number;
  /** Aborts at the deadline of the job, and when its caller aborts it. */
  readonly signal: AbortSignal;
}
