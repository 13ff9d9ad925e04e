// The compiler's engine with its limits, on Node only.
export { type CompileLimits, compileLimits } from './compiled-codes.ts';
export { createCompiledEngine } from './compiled-engine.ts';
