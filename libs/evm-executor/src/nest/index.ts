export { CALL_POOL, EvmExecutorModule, type EvmExecutorModuleOptions } from './evm-executor.module.ts';
