export { runService, type ServiceOptions } from './run-service.ts';
export { LOGGER, SETTINGS, ServiceKitModule } from './service-kit.module.ts';
