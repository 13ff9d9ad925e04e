import { type CallEngine, createEngine as createOwnEngine } from '@cairn/evm';
import type { EngineName } from './engine-name.ts';
import { createEthereumjsEngine } from './ethereumjs-engine.ts';

/**
 * An engine for the calls of one thread.
 * @param name default `compiled` on Node, `interpreter` elsewhere
 * @throws ENGINE_UNAVAILABLE for `compiled` outside Node
 */
export function createEngine(name?: EngineName): CallEngine {
  const reference = createEthereumjsEngine();
  return name === 'ethereumjs' ? reference : createOwnEngine(name, reference);
}
