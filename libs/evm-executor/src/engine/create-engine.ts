import { type CallEngine, createEngine as createOwnEngine } from '@cairn/evm';
import type { EngineName } from './engine-name.ts';

/**
 * Creates an engine for the calls of one thread.
 * @param name default `compiled` on Node, `interpreter` elsewhere
 * @throws ENGINE_UNAVAILABLE for `compiled` outside Node
 */
export function createEngine(name?: EngineName): CallEngine {
  const reference = createReferenceEngine();
  return name === 'ethereumjs' ? reference : createOwnEngine(name, reference);
}

/** Creates the engine on @ethereumjs/evm, whose code is loaded with its first message. */
function createReferenceEngine(): CallEngine {
  let loaded: Promise<CallEngine> | undefined;
  const load = async () => (await import('@cairn/evm-ethereumjs/engine')).createEthereumjsEngine();
  return {
    name: 'ethereumjs',
    async run(message) {
      loaded ??= load();
      return (await loaded).run(message);
    },
  };
}
