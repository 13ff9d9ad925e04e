export { CallPool, type CallPoolExecuteOptions, type CallPoolStats, type CallUse } from './call-pool.ts';
export { type CallPoolOptions, callPoolLimits } from './call-pool-options.ts';
export type { CallChain, CallSource, CallSourceModule, FetchContext, SourceAttempt } from './call-source.ts';
export { createCallPool } from './create-call-pool.ts';
export { DeferredCallPool } from './deferred-call-pool.ts';
export type {
  CallJob,
  CallWitnessJob,
  CallWitnessResult,
  CreateAccessListJob,
  EstimateGasJob,
  ExecutionJob,
  ExecutionWitnessJob,
  JsonResult,
  ModifiedAccountsJob,
  ReadJob,
  ReadResult,
  ResultOf,
  SimulateJob,
  StorageRangeJob,
  TraceBlockJob,
  TraceCallJob,
  TraceCallsJob,
  VerifiedBlobs,
  VerifyBlobsJob,
} from './execution-job.ts';
