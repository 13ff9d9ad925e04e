import { createCompiledEngine, defaultEngineName } from '#compiled-engine';
import type { CallEngine } from './call-engine.ts';
import type { EngineName } from './engine-name.ts';
import { createEthereumjsEngine } from './ethereumjs-engine.ts';
import { createInterpreterEngine } from './interpreter/interpreter-engine.ts';
import { createTracedEngine } from './traced/traced-engine.ts';

/**
 * An engine for the calls of one thread.
 * @param name default `compiled` on Node, `interpreter` elsewhere
 * @throws ENGINE_UNAVAILABLE for `compiled` elsewhere
 */
export function createEngine(name: EngineName = defaultEngineName): CallEngine {
  const reference = createEthereumjsEngine();
  if (name === 'ethereumjs') return reference;
  const traced = createTracedEngine(reference);
  return name === 'interpreter' ? createInterpreterEngine(traced) : createCompiledEngine(traced);
}
