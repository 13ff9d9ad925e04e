import type { BlobSidecar, Hex, StorageRange } from '@cairn/block-model';
import type { BlockOverrides, CallRequest, StateOverrides } from '../call-request.ts';
import type { CallHalt, CallRefusal, CallResult, CallRevert } from '../call-result.ts';
import type { AccessListResult } from '../create-access-list.ts';
import type { GasEstimate } from '../estimate-gas.ts';
import type { Simulation } from '../simulate/simulation.ts';
import type { TracedCall } from '../trace/trace-calls.ts';
import type { TraceOptions } from '../trace/trace-options.ts';

/** Chain and block on which a job is executed. */
interface JobPlace {
  /** Key of the chain in the options of the pool. */
  readonly chain: string;
  /** Block whose state and environment the job sees; for a trace, the block whose transactions are traced. */
  readonly blockHash: Hex;
  /** The only contracts that the job may read. With a list, jobs on whole blocks are refused. Default: all contracts. */
  readonly contracts?: readonly Hex[] | undefined;
}

interface MessageJob extends JobPlace {
  readonly call: CallRequest;
  readonly stateOverrides?: StateOverrides | undefined;
  readonly blockOverrides?: BlockOverrides | undefined;
}

/** Executes one call. */
export interface CallJob extends MessageJob {
  readonly kind?: 'call';
}

/** Estimates the gas that a message needs. */
export interface EstimateGasJob extends MessageJob {
  readonly kind: 'estimateGas';
}

/** Lists the accounts and slots that a message accesses. */
export interface CreateAccessListJob extends MessageJob {
  readonly kind: 'createAccessList';
  /** Tip in wei per gas that is suggested to senders. Used for calls without fees. */
  readonly tip: bigint;
}

/** Executes hypothetical blocks on top of a block. */
export interface SimulateJob extends JobPlace {
  readonly kind: 'simulate';
  readonly simulation: Simulation;
}

/** Traces one message. */
export interface TraceCallJob extends MessageJob {
  readonly kind: 'traceCall';
  readonly options: TraceOptions;
  /** Index of a transaction of the block: the call runs before it. Default: after the whole block. */
  readonly index?: number | undefined;
  /** The call is a signed transaction: its nonce, its fees and its sender are checked. */
  readonly isTransaction?: boolean | undefined;
}

/** Traces messages in order, each on the state after the one before. */
export interface TraceCallsJob extends Omit<MessageJob, 'call'> {
  readonly kind: 'traceCalls';
  readonly calls: readonly TracedCall[];
}

/** Traces the transactions of a block, or one of them. */
export interface TraceBlockJob extends JobPlace {
  readonly kind: 'traceBlock';
  /** Index of the only transaction to trace. */
  readonly index?: number;
  /** RLP of a block that the chain does not have; `blockHash` is the hash of that block then. */
  readonly raw?: Uint8Array;
  readonly options: TraceOptions;
}

/** A job that may be executed in the calling thread. */
export type LightJob = CallJob | TraceBlockJob;

/** Collects the state that a node without state needs to execute a block. */
export interface ExecutionWitnessJob extends JobPlace {
  readonly kind: 'executionWitness';
}

/** Executes one call and collects everything that somebody without state needs to repeat it. */
export interface CallWitnessJob extends MessageJob {
  readonly kind: 'callWitness';
  /** Total length of headers, codes and nodes. */
  readonly bytesMax: number;
}

/** A call with the data that proves its result. */
export interface CallWitnessResult {
  readonly kind: 'callWitness';
  readonly result: CallResult | CallRefusal;
  /** RLP of the block, then of its ancestors down to the child of the lowest block whose hash was read. */
  readonly headers: readonly Uint8Array[];
  readonly codes: readonly Uint8Array[];
  /** Trie nodes. Codes and nodes are in the order of their bytes, each once. */
  readonly nodes: readonly Uint8Array[];
  readonly gasUsed: bigint;
}

/** Reads slots of an account, ordered by the hashes of their keys. */
export interface StorageRangeJob extends JobPlace {
  readonly kind: 'storageRange';
  readonly address: Uint8Array;
  /** Hash to start with, or a prefix of it. */
  readonly start: Uint8Array;
  readonly limit: number;
}

/** Lists the accounts that differ between the states after `since` and after `blockHash`. */
export interface ModifiedAccountsJob extends JobPlace {
  readonly kind: 'modifiedAccounts';
  readonly since: Hex;
}

/** Reads that take too long for the calling thread. The caller checks which contracts they may show. */
export type ReadJob = StorageRangeJob | ModifiedAccountsJob;

/** Verifies the KZG proofs of a blob transaction. Needs no chain. */
export interface VerifyBlobsJob {
  readonly kind: 'verifyBlobs';
  /** Network of the transaction; not read. */
  readonly chain: string;
  readonly contracts?: undefined;
  readonly sidecar: BlobSidecar;
}

/** Result of a verification. */
export interface VerifiedBlobs {
  readonly kind: 'verifiedBlobs';
  readonly isValid: boolean;
  /** A verification executes no code. */
  readonly gasUsed: 0n;
}

/** Result of a read; `undefined` if the chain does not keep the data. */
export interface ReadResult<Value> {
  readonly kind: 'read';
  readonly value: Value | undefined;
  /** A read executes no code. */
  readonly gasUsed: 0n;
}

/** Job on a block of a chain. */
export type ChainJob =
  | ReadJob
  | CallJob
  | CallWitnessJob
  | EstimateGasJob
  | CreateAccessListJob
  | SimulateJob
  | TraceCallJob
  | TraceCallsJob
  | TraceBlockJob
  | ExecutionWitnessJob;

export type ExecutionJob = ChainJob | VerifyBlobsJob;

/** A large result, serialized in the worker: the caller only passes it on. */
export interface JsonResult {
  readonly kind: 'json';
  readonly json: string;
  /** Gas of everything that was executed for it. */
  readonly gasUsed: bigint;
  /** Number of records of a block that match a filter, including those that are left out. */
  readonly records?: number;
}

/** Result type of each kind of job. */
export type ResultOf<Job extends ExecutionJob> = Job extends EstimateGasJob
  ? GasEstimate | CallRevert | CallHalt
  : Job extends CreateAccessListJob
    ? AccessListResult
    : Job extends StorageRangeJob
      ? ReadResult<StorageRange>
      : Job extends ModifiedAccountsJob
        ? ReadResult<readonly Uint8Array[]>
        : Job extends SimulateJob | TraceCallJob | TraceCallsJob | TraceBlockJob | ExecutionWitnessJob
          ? JsonResult
          : Job extends CallWitnessJob
            ? CallWitnessResult
            : Job extends VerifyBlobsJob
              ? VerifiedBlobs
              : CallResult;
