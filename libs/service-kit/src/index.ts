export { answerHealth } from './health.ts';
export { createLogger, type Logger, type LoggerOptions, nestLogger } from './logger.ts';
export { PlainLane } from './plain-http/plain-lane.ts';
export type { PlainAnswer, PlainHandler, PlainRequest } from './plain-http/plain-request.ts';
export { RAW_HTTP, type RawHttp } from './raw-http.ts';
export { requestId } from './request-id.ts';
export { type LoadSettingsOptions, loadSettings, type Settings } from './settings.ts';
export { nearestName, SettingsError, type SettingsProblem } from './settings-error.ts';
export { type SettingName, settingsShape } from './settings-schema.ts';
