import type { CallEngine } from './call-engine.ts';
import { createCompiledEngine } from './compiled/compiled-engine.ts';
import { createEthereumjsEngine } from './ethereumjs-engine.ts';
import { createInterpreterEngine } from './interpreter/interpreter-engine.ts';

/**
 * - `compiled`: hot code becomes WebAssembly, the rest is interpreted; the default.
 * - `interpreter`: everything is interpreted.
 * - `ethereumjs`: @ethereumjs/evm, the reference. The other two leave traces to it, and more gas than a double counts.
 */
export type EngineName = 'compiled' | 'interpreter' | 'ethereumjs';

/** An engine for the calls of one thread. */
export function createEngine(name: EngineName = 'compiled'): CallEngine {
  const reference = createEthereumjsEngine();
  if (name === 'ethereumjs') return reference;
  return name === 'interpreter' ? createInterpreterEngine(reference) : createCompiledEngine(reference);
}
