// No file below imports a module of Node, so that browsers can load this entry. The worker pool has its own entry.

export type {
  Awaitable,
  CallEngine,
  Deadline,
  EngineMessage,
  EngineOutcome,
  PrecompileChanges,
} from '@cairn/evm';
export {
  ContractGuard,
  createCompareEngine,
  createInterpreterEngine,
  createTracedEngine,
  delegationOf,
  type EngineDifference,
  type ForkRules,
  forkRules,
  formatGoDuration,
  GasBudgetExceeded,
  WorldState,
  whenDone,
} from '@cairn/evm';
export { createBlockRunner } from './block/block-runner.ts';
export {
  callFromTransaction,
  type ReplayBlockOptions,
  type ReplayedTransaction,
  replayBlock,
} from './block/replay-block.ts';
export { type BlockEnvironment, blobBaseFeeAt, blockEnvironment } from './block-environment.ts';
export type { AccountOverride, BlockOverrides, CallRequest, StateOverrides } from './call-request.ts';
export type { CallHalt, CallRefusal, CallResult, CallRevert, CallSuccess } from './call-result.ts';
export { type AccessListResult, createAccessList } from './create-access-list.ts';
export { createEngine } from './engine/create-engine.ts';
export type { EngineName } from './engine/engine-name.ts';
export {
  BlockInvalidError,
  CallRejectedError,
  type CallRejectionCode,
  ContractNotAllowedError,
  EngineUnavailableError,
  ExecutionError,
  type ExecutionErrorCode,
  InvalidOverrideError,
  SimulationError,
  type SimulationErrorCode,
  StateUnavailableError,
  TraceRefusedError,
  TraceTooLargeError,
  TransactionInvalidError,
} from './errors.ts';
export { estimateGas, type GasEstimate } from './estimate-gas.ts';
export { callLimits, type ExecuteCallOptions, executeCall } from './execute-call.ts';
export { type FeeDefaults, withFeeDefaults } from './fee-defaults.ts';
export { FetchedState, type PrefetchEntry, type RemoteState } from './fetched-state.ts';
export { type ParseCallRequestOptions, parseCallRequest } from './parse-call-request.ts';
export { parseBlockOverrides, parseStateOverrides } from './parse-overrides.ts';
export {
  checkPooledSender,
  checkPooledTransaction,
  type PooledChain,
  pooledLimits,
} from './pooled/check-pooled-transaction.ts';
export { PooledRejectedError, type PooledRejectionCode } from './pooled/errors.ts';
export { type RecordedCall, recordCall } from './record-call.ts';
export { decodeRevertReason, revertMessage } from './revert-reason.ts';
export { parseSimulation } from './simulate/parse-simulation.ts';
export { countSimulated } from './simulate/plan-blocks.ts';
export { type SimulateOptions, simulate } from './simulate/simulate.ts';
export {
  type SimulatedBlock,
  type SimulatedBlockOverrides,
  type Simulation,
  simulationLimits,
} from './simulate/simulation.ts';
export type { ParityOptions, RecordFilter } from './trace/parity/parity-options.ts';
export { parseTraceTypes, recordOptions, traceTypes } from './trace/parity/parse-trace-types.ts';
export { traceBlock } from './trace/trace-block.ts';
export { type TraceCallOptions, traceCall } from './trace/trace-call.ts';
export { type TracedCall, traceCalls } from './trace/trace-calls.ts';
export {
  parseTraceOptions,
  type TraceOptions,
  type TracerName,
  type TracerOptions,
  tracerNames,
} from './trace/trace-options.ts';
export type { TraceBlockOptions } from './trace/trace-transactions.ts';
