export { runService } from './run-service.ts';
export { LOGGER, PROCESSES, SETTINGS, type ServiceContext, ServiceKitModule, TRACING } from './service-kit.module.ts';
export type { ServiceOptions, ServiceParts } from './service-options.ts';
