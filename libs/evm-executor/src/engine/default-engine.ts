import type { CallEngine } from './call-engine.ts';
import { createEthereumjsEngine } from './ethereumjs-engine.ts';
import { createInterpreterEngine } from './interpreter/interpreter-engine.ts';

/** The fast interpreter, with @ethereumjs/evm for what it leaves. */
export function createDefaultEngine(): CallEngine {
  return createInterpreterEngine(createEthereumjsEngine());
}
