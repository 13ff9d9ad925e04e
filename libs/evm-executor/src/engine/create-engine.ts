import type { CallEngine } from './call-engine.ts';
import { createCompiledEngine } from './compiled/compiled-engine.ts';
import { createEthereumjsEngine } from './ethereumjs-engine.ts';
import { createInterpreterEngine } from './interpreter/interpreter-engine.ts';
import { createTracedEngine } from './traced/traced-engine.ts';

/**
 * - `compiled`: hot code becomes WebAssembly, the rest is interpreted; the default.
 * - `interpreter`: everything is interpreted.
 * - `ethereumjs`: @ethereumjs/evm, the reference. The other two leave more gas than a double counts to it.
 *
 * Messages with a tracer run step by step in the other two, with geth's prices and faults.
 */
export type EngineName = 'compiled' | 'interpreter' | 'ethereumjs';

/** An engine for the calls of one thread. */
export function createEngine(name: EngineName = 'compiled'): CallEngine {
  const reference = createEthereumjsEngine();
  if (name === 'ethereumjs') return reference;
  const traced = createTracedEngine(reference);
  return name === 'interpreter' ? createInterpreterEngine(traced) : createCompiledEngine(traced);
}
