export { type RunningService, type StartServiceOptions, startService } from './start-service.ts';
