export { PIN_STORE, PinningModule, type PinningModuleOptions } from './pinning.module.ts';
