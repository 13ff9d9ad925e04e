export { type LimitName, type LimitReached, limitReached, MeteringError, type MeteringErrorCode } from './errors.ts';
export { AccountLimits, type AccountLimitsOptions } from './limits/account-limits.ts';
export type { HoldRequest, HoldResult, LimitRule, LimitStore, TakeRequest, TakeResult } from './limits/limit-store.ts';
export { type LimitChannel, Limiter, type LimiterOptions } from './limits/limiter.ts';
export { type LmdbLimitStoreOptions, openLmdbLimitStore } from './limits/lmdb-limit-store.ts';
export { type Metering, type MeteringOptions, type MeteringStores, type Payer, startMetering } from './metering.ts';
export { openLmdbMeteringStores } from './open-lmdb-stores.ts';
export { openLmdbPlanStore } from './plans/lmdb-plan-store.ts';
export { defaultPlans, fallbackPlan, numericLimits, type Plan, parsePlan, requirePlanMethod } from './plans/plan.ts';
export type { PlanStore } from './plans/plan-store.ts';
export {
  bodyBytesPerCredit,
  creditsOfBody,
  creditsOfGas,
  creditsOfResponse,
  creditsOfTransfer,
  creditsOfWork,
  creditsOfWorker,
  creditsPerSimulatedBlock,
  creditsPerSimulatedCall,
  creditsPerTracedBlock,
  creditsPerUpstreamCall,
  creditsPerWorkerMs,
  gasPerCredit,
  responseBytesPerCredit,
  transferBytesPerCredit,
} from './prices.ts';
export { openLmdbRequestLogStore } from './requests/lmdb-request-log-store.ts';
export { type FinishedLogEntry, RequestLog, type RequestLogOptions, requestLogLimits } from './requests/request-log.ts';
export { type LoggedRequest, loggedRequestsKept, type RequestLogStore } from './requests/request-log-store.ts';
export { copyUsageToLmdb } from './usage/copy-usage-to-lmdb.ts';
export {
  type FinishedRequest,
  Ledger,
  type LedgerOptions,
  type OperationTotal,
  type UsageOwner,
} from './usage/ledger.ts';
export { openLmdbUsageStore } from './usage/lmdb-usage-store.ts';
export {
  addCounts,
  dayMs,
  hourMs,
  latencyBoundsMs,
  latencyIndex,
  latencyQuantile,
  minuteMs,
  type UsageCounts,
  type UsageRow,
  type UsageSubject,
  zeroCounts,
} from './usage/usage.ts';
export type {
  KeyUse,
  Resolution,
  Span,
  StoredBytes,
  StoredBytesSample,
  UsageDelta,
  UsageStore,
} from './usage/usage-store.ts';
