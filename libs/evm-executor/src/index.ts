export { type BlockEnvironment, blockEnvironment } from './block-environment.ts';
export type { AccountOverride, BlockOverrides, CallRequest, StateOverrides } from './call-request.ts';
export type { CallHalt, CallResult, CallRevert, CallSuccess } from './call-result.ts';
export type { CallEngine, EngineMessage, EngineOutcome, PrecompileChanges } from './engine/call-engine.ts';
export { createEthereumjsEngine } from './engine/ethereumjs-engine.ts';
export {
  CallRejectedError,
  type CallRejectionCode,
  ExecutionError,
  type ExecutionErrorCode,
  InvalidOverrideError,
  StateUnavailableError,
} from './errors.ts';
export { callLimits, type ExecuteCallOptions, executeCall } from './execute-call.ts';
export { type ChainPlace, type ForkRules, forkRules } from './fork-rules.ts';
export { type ParseCallRequestOptions, parseCallRequest } from './parse-call-request.ts';
export { parseBlockOverrides, parseStateOverrides } from './parse-overrides.ts';
export { type CallPoolOptions, callPoolLimits, createCallPool } from './pool/call-pool.ts';
export type {
  CallChain,
  CallJob,
  CallPool,
  CallPoolExecuteOptions,
  CallPoolStats,
  CallSource,
  CallSourceModule,
} from './pool/call-pool-types.ts';
export { decodeRevertReason, revertMessage } from './revert-reason.ts';
export { WorldState } from './world-state.ts';
