export type { Registry } from 'prom-client';
export { type AdminOptions, AdminServer, createRegistry } from './admin/admin-server.ts';
export { type QuarantineSource, registerCorruptBlocks } from './admin/corrupt-blocks.ts';
export { type Engine, registerEngineMetrics } from './admin/engine-metrics.ts';
export { type GaugeOfGroup, registerCounter, registerGauge } from './admin/gauges.ts';
export { type OperationCounts, registerUsageMetrics, type UsageMetricsOptions } from './admin/usage-metrics.ts';
export { type ApiDocument, ApiDocuments, type ApiDocumentsOptions, apiPage } from './api-page/api-page.ts';
export { byteText } from './byte-text.ts';
export { Cors, type CorsOptions } from './cors.ts';
export { announceEarlyAnswer, discardBody, type EarlyAnswerLimits } from './early-answer.ts';
export { answerHealth, type Dependency, type Readiness, readiness } from './health.ts';
export { isTrustedHost, trustedHosts } from './host-check.ts';
export type { FastAnswer, FastHandler, FastRequest } from './http-fast-path/fast-request.ts';
export { HttpFastPath } from './http-fast-path/http-fast-path.ts';
export { createLogger, type Logger, type LoggerOptions, type NestLogger, nestLogger } from './logger.ts';
export { ownOpenFilesAdvice } from './open-files.ts';
export { beforeIdleCollection } from './processes/collect-when-idle.ts';
export {
  type ProcessGroup,
  type PublishOptions,
  type SharedFunctions,
  shareOf,
  singleProcess,
} from './processes/process-group.ts';
export { createSharedKey, type SharedKey } from './processes/shared-key.ts';
export { RAW_HTTP, type RawHttp } from './raw-http.ts';
export { requestId } from './request/request-id.ts';
export {
  errorOf,
  type MeterOutcome,
  type RecordedCaller,
  type RecordedMeter,
  type RequestNames,
  type RequestOutcome,
  RequestRecord,
  RequestRecorder,
} from './request/request-recorder.ts';
export { sampleNetworkFile } from './sample-network.ts';
export {
  adminPort,
  type CommonSettings,
  commonSettings,
  internalBind,
  sharedSettings,
} from './settings/common-settings.ts';
export { type LoadSettingsOptions, loadSettings, type Settings } from './settings/load-settings.ts';
export type { ParsedSetting, Setting, SettingKind } from './settings/setting.ts';
export * as setting from './settings/setting.ts';
export { type SettingName, settingNames } from './settings/setting-names.ts';
export { nearestName, SettingsError, type SettingsProblem } from './settings/settings-error.ts';
export type { SettingsShape, SettingsValues } from './settings/settings-shape.ts';
export { openTracing } from './tracing/open-tracing.ts';
export { type HeaderFields, type TraceContext, traceContextOf, traceHeaders } from './tracing/trace-context.ts';
export {
  type OpenTracingOptions,
  passingTracing,
  type RequestSpan,
  type SpanAttributes,
  type Tracing,
} from './tracing/tracing.ts';
