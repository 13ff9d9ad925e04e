export { EvmExecutorModule, type EvmExecutorModuleOptions, type EvmExecutorOptions } from './evm-executor.module.ts';
