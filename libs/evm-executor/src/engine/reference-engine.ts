import type { CallEngine } from '@cairn/evm';
import { ReferenceEngineMissingError } from '../errors.ts';

/**
 * Creates the engine on @ethereumjs/evm, whose code is loaded with its first message.
 * @param load imports the engine from the optional peer `@cairn/evm-ethereumjs`. A failed import is tried again with the
 *   next message; its runs fail with ENGINE_UNAVAILABLE
 */
export function createReferenceEngine(load: () => Promise<CallEngine> = importReference): CallEngine {
  let loaded: Promise<CallEngine> | undefined;
  return {
    name: 'ethereumjs',
    async run(message) {
      let engine: CallEngine;
      try {
        loaded ??= load();
        engine = await loaded;
      } catch (error) {
        loaded = undefined;
        throw new ReferenceEngineMissingError(message.gas, error);
      }
      return engine.run(message);
    },
  };
}

async function importReference(): Promise<CallEngine> {
  // Within `try`, bundlers accept that the package is not installed.
  try {
    return (await import('@cairn/evm-ethereumjs/engine')).createEthereumjsEngine();
  } catch (error) {
    throw new Error('The import of @cairn/evm-ethereumjs/engine failed.', { cause: error });
  }
}
