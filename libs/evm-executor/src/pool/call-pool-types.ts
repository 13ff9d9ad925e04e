import type { ChainReader, ChainSpec, Hex, StorageRange } from '@cairn/block-model';
import type { BlockRecord } from '../block/record-block.ts';
import type { BlockOverrides, CallRequest, StateOverrides } from '../call-request.ts';
import type { CallHalt, CallResult, CallRevert } from '../call-result.ts';
import type { AccessListResult } from '../create-access-list.ts';
import type { GasEstimate } from '../estimate-gas.ts';
import type { Simulation } from '../simulate/simulation.ts';
import type { TraceOptions } from '../trace/trace-options.ts';

/**
 * What a worker reads a chain through: the part of a {@link ChainReader} that calls need. All of it is synchronous.
 * Without `hashByNumber` and `isCanonical`, BLOCKHASH walks the parents of the header; simulations need `stateRoots`, and
 * traces of transactions `block`. Readers of states are kept until `generation` moves.
 */
export type CallSource = Pick<ChainReader, 'header' | 'stateAt'> &
  Partial<Pick<ChainReader, 'hashByNumber' | 'isCanonical' | 'block' | 'stateRoots' | 'generation'>> & {
    /** Slots of an account in the order of their hashes. {@link StorageRangeJob} needs it. */
    storageRange?(
      hash: Hex,
      address: Uint8Array,
      range: Pick<StorageRangeJob, 'start' | 'limit'>,
    ): StorageRange | undefined;
    /** Accounts that differ between two states. {@link ModifiedAccountsJob} needs it. */
    modifiedAccounts?(from: Hex, to: Hex): readonly Uint8Array[] | undefined;
    /**
     * Nodes of the tries behind the state after a block: those that prove what is read, and that the root of the state with
     * the changes takes. Witnesses need them.
     */
    witnessNodes?(hash: Hex, scope: Pick<BlockRecord, 'reads' | 'changes'>): Promise<readonly Uint8Array[] | undefined>;
    /** Called when the worker ends by itself; a killed worker has no last words. */
    close?(): void | Promise<void>;
  };

/** Where a worker gets a {@link CallSource} from: it imports the module and calls the export with the options. */
export interface CallSourceModule {
  /** A URL that `import()` takes, such as `import.meta.resolve('@cairn/chain-store')`. */
  readonly moduleUrl: string;
  /** A function `(options) => CallSource | Promise<CallSource>`. */
  readonly exportName: string;
  /** Anything that structured clone takes. */
  readonly options?: unknown;
}

/** A chain that calls can run on. */
export interface CallChain {
  readonly spec: ChainSpec;
  readonly source: CallSourceModule;
}

/** Where a job runs. */
interface JobPlace {
  /** The key of the chain in the options of the pool. */
  readonly chain: string;
  /** The block whose state and environment the job sees; of a trace, the block whose transactions are traced. */
  readonly blockHash: Hex;
  /** The only contracts that the job may read; jobs on whole blocks are refused then. Default: all. */
  readonly contracts?: readonly Hex[] | undefined;
}

interface MessageJob extends JobPlace {
  readonly call: CallRequest;
  readonly stateOverrides?: StateOverrides | undefined;
  readonly blockOverrides?: BlockOverrides | undefined;
}

/** One call for a worker. */
export interface CallJob extends MessageJob {
  readonly kind?: 'call';
}

/** How much gas a message needs. */
export interface EstimateGasJob extends MessageJob {
  readonly kind: 'estimateGas';
}

/** What a message reads. */
export interface CreateAccessListJob extends MessageJob {
  readonly kind: 'createAccessList';
  /** The tip that is suggested to senders, in wei per gas: for calls that do not name their fees. */
  readonly tip: bigint;
}

/** Blocks that might follow. */
export interface SimulateJob extends JobPlace {
  readonly kind: 'simulate';
  readonly simulation: Simulation;
}

/** What happens in a message. */
export interface TraceCallJob extends MessageJob {
  readonly kind: 'traceCall';
  readonly options: TraceOptions;
  /** The call runs before the transaction of this place in the block rather than after the block. */
  readonly index?: number | undefined;
}

/** What happened in the transactions of a block, or in one of them. */
export interface TraceBlockJob extends JobPlace {
  readonly kind: 'traceBlock';
  /** Only this transaction. */
  readonly index?: number;
  /** The block itself as RLP, for one that the chain does not have; `blockHash` is its own then. */
  readonly raw?: Uint8Array;
  readonly options: TraceOptions;
}

/** State that another node needs to run a block. */
export interface ExecutionWitnessJob extends JobPlace {
  readonly kind: 'executionWitness';
}

/** Slots of an account in the order of their hashes. */
export interface StorageRangeJob extends JobPlace {
  readonly kind: 'storageRange';
  readonly address: Uint8Array;
  /** The hash to begin with, or the first bytes of it. */
  readonly start: Uint8Array;
  readonly limit: number;
}

/** Accounts that the state after the block has otherwise than that after an earlier one. */
export interface ModifiedAccountsJob extends JobPlace {
  readonly kind: 'modifiedAccounts';
  readonly since: Hex;
}

/** Reads that take too long for the thread that asks. The caller checks which contracts they may show. */
export type ReadJob = StorageRangeJob | ModifiedAccountsJob;

/** Outcome of a read; `undefined` where the chain does not keep what it needs. */
export interface ReadResult<Value> {
  readonly kind: 'read';
  readonly value: Value | undefined;
  /** Reads execute nothing. */
  readonly gasUsed: 0n;
}

export type ExecutionJob =
  | ReadJob
  | CallJob
  | EstimateGasJob
  | CreateAccessListJob
  | SimulateJob
  | TraceCallJob
  | TraceBlockJob
  | ExecutionWitnessJob;

/** A result that is large and only passed on: serialized where it was made. */
export interface JsonResult {
  readonly kind: 'json';
  readonly json: string;
  /** Gas of all that was executed for it. */
  readonly gasUsed: bigint;
}

/** What a job comes to. */
export type ResultOf<Job extends ExecutionJob> = Job extends EstimateGasJob
  ? GasEstimate | CallRevert | CallHalt
  : Job extends CreateAccessListJob
    ? AccessListResult
    : Job extends StorageRangeJob
      ? ReadResult<StorageRange>
      : Job extends ModifiedAccountsJob
        ? ReadResult<readonly Uint8Array[]>
        : Job extends SimulateJob | TraceCallJob | TraceBlockJob | ExecutionWitnessJob
          ? JsonResult
          : CallResult;

export interface CallPoolExecuteOptions {
  /** The account whose call it is: lanes share the time of the workers, however many calls each has waiting. */
  readonly lane?: string;
  /** Aborting takes the call out of the queue, or ends its worker if it runs on. */
  readonly signal?: AbortSignal;
  /** For this call, instead of that of the pool. Milliseconds from the start of its execution. */
  readonly timeoutMs?: number;
  /** Called once when the call is over for the workers, which may be after its caller has aborted it. */
  readonly onUsed?: (use: CallUse) => void;
}

/** Use of the workers by a call. */
export interface CallUse {
  /** Milliseconds that a worker was held; 0 where none was. */
  readonly workerMs: number;
  /** The caller got a result, not an error. */
  readonly isAnswered: boolean;
}

/** What the pool is doing. */
export interface CallPoolStats {
  readonly running: number;
  readonly queued: number;
  readonly idle: number;
  /** Workers that cannot take a call yet. */
  readonly starting: number;
  /** Workers ended by a limit, a crash or an abort since the start. */
  readonly replaced: number;
}

/** Runs calls in worker threads under limits. */
export interface CallPool {
  /**
   * @throws EXECUTION_TIMEOUT, EXECUTION_MEMORY_EXCEEDED, EXECUTION_QUEUE_FULL, EXECUTION_QUEUE_TIMEOUT,
   *   EXECUTION_ABORTED, EXECUTION_FAILED, EXECUTION_CLOSED, STATE_UNAVAILABLE, CONTRACT_NOT_ALLOWED, and what the job itself throws
   */
  execute<Job extends ExecutionJob>(job: Job, options?: CallPoolExecuteOptions): Promise<ResultOf<Job>>;
  stats(): CallPoolStats;
  /** Refuses new calls, lets those that are in finish, and ends the workers. */
  close(): Promise<void>;
}
