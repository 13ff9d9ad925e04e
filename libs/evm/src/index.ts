export {
  callOpcodes,
  isLog,
  type OpcodeFork,
  op,
  opcodeAt,
  opcodeFigures,
  opcodeName,
  opcodes,
} from '@cairn/evm-compiler/opcodes';
export { type Awaitable, finishing, whenDone } from './awaitable.ts';
export type { BlockEnvironment } from './block-environment.ts';
export {
  type CallEngine,
  checkDeadline,
  type Deadline,
  type EngineMessage,
  type EngineOutcome,
  type PrecompileChanges,
} from './call-engine.ts';
export { createCompareEngine, type EngineDifference } from './compare-engine.ts';
export { createEngine } from './create-engine.ts';
export type { EngineName } from './engine-name.ts';
export type { EngineFrame, EngineFrameEnd, EngineStep, EngineTracer, FrameKind } from './engine-tracer.ts';
export {
  ContractNotAllowedError,
  EngineUnavailableError,
  ExecutionTimeoutError,
  GasUncountableError,
} from './errors.ts';
export type { ForkRules } from './forks/fork-rules.ts';
export { forkRules, isMergedAt } from './forks/rules-at.ts';
export { formatGoDuration } from './format-go-duration.ts';
export { GasBudgetExceeded, gasBudgetExceeded } from './gas-budget.ts';
export { create2Address, createAddress } from './interpreter/create-address.ts';
export { halts } from './interpreter/halt.ts';
export { createInterpreterEngine } from './interpreter/interpreter-engine.ts';
export { addressFromHex, zeroAddress } from './state/addresses.ts';
export { ContractGuard } from './state/contract-guard.ts';
export { delegationOf, delegationPrefix } from './state/delegation.ts';
export { mapKeyFromBytes } from './state/map-key.ts';
export { StateCache } from './state/state-cache.ts';
export { WorldState } from './state/world-state.ts';
export { addressHexFromWord, hexFromWord, logOfStep } from './step-log.ts';
export { createTracedEngine } from './traced/traced-engine.ts';
