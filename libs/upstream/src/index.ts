export type { HistoryKind, HistoryNeed } from './capabilities.ts';
export {
  AttemptFailure,
  answerInvalid,
  type FailedAttempt,
  type FailureKind,
  notYetKnown,
  UpstreamError,
  type UpstreamErrorCode,
} from './errors.ts';
export { currentLane, runInLane, type UpstreamLane } from './lanes.ts';
export { type UpstreamLimits, upstreamLimits } from './limits.ts';
export type {
  RequestOptions,
  UpstreamAnswer,
  UpstreamCall,
  UpstreamEvent,
  UpstreamHead,
  UpstreamState,
} from './upstream-call.ts';
export {
  type BroadcastOutcome,
  createUpstreamPool,
  type UpstreamPool,
  type UpstreamPoolOptions,
} from './upstream-pool.ts';
