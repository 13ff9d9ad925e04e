export * from './core/index.ts';
export { type CompileLimits, compileLimits } from './engine/compiled/compiled-codes.ts';
export { createCompiledEngine } from './engine/compiled/compiled-engine.ts';
export { createCallPool } from './pool/call-pool.ts';
export { type CallPoolOptions, callPoolLimits } from './pool/call-pool-options.ts';
export type {
  CallChain,
  CallJob,
  CallPool,
  CallPoolExecuteOptions,
  CallPoolStats,
  CallSource,
  CallSourceModule,
  CallUse,
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
} from './pool/call-pool-types.ts';
