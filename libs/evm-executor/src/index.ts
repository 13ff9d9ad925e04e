export * from './core/index.ts';
export { type CompileLimits, compileLimits } from './engine/compiled/compiled-codes.ts';
export { createCompiledEngine } from './engine/compiled/compiled-engine.ts';
