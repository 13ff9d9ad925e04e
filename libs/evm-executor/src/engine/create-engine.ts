import { type CallEngine, createEngine as createOwnEngine } from '@cairn/evm';
import type { EngineName } from './engine-name.ts';
import { createReferenceEngine } from './reference-engine.ts';

/**
 * Creates an engine for the calls of one thread.
 * @param name default `compiled` on Node, `interpreter` elsewhere. The runs of `ethereumjs` fail with ENGINE_UNAVAILABLE
 *   if the optional peer `@cairn/evm-ethereumjs` is not installed
 * @throws ENGINE_UNAVAILABLE for `compiled` outside Node
 */
export function createEngine(name?: EngineName): CallEngine {
  const reference = createReferenceEngine();
  return name === 'ethereumjs' ? reference : createOwnEngine(name, reference);
}
