export { type CompileLimits, compileLimits, createCompiledEngine } from '@cairn/evm/compiled';
export * from './core/index.ts';
