export { COLLECTOR, PIN_STORE, PINNING, PinningModule, type PinningModuleOptions } from './pinning.module.ts';
