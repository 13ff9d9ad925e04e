export { METERING, MeteringModule, type MeteringModuleOptions } from './metering.module.ts';
