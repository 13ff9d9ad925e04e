export { runService, type ServiceOptions } from './run-service.ts';
export { LOGGER, SETTINGS, type ServiceContext, ServiceKitModule, TRACING } from './service-kit.module.ts';
