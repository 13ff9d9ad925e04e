export { settingsTable } from './settings-table.ts';
export { type RunningService, type StartServiceOptions, startService } from './start-service.ts';
