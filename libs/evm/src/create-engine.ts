import { createCompiledEngine, defaultEngineName } from '#compiled-engine';
import type { CallEngine } from './call-engine.ts';
import type { EngineName } from './engine-name.ts';
import { GasUncountableError } from './errors.ts';
import { createInterpreterEngine } from './interpreter/interpreter-engine.ts';
import { createTracedEngine } from './traced/traced-engine.ts';

/** Refuses messages that the engines leave to another one: more gas than a double counts. */
const noEngine: CallEngine = {
  name: 'none',
  run: ({ gas }) => Promise.reject(new GasUncountableError(gas)),
};

/**
 * Creates an engine for the calls of one thread.
 * @param name default `compiled` on Node, `interpreter` elsewhere
 * @param elsewhere runs messages with more than 2^53 - 1 gas. Default: such messages are refused
 * @throws ENGINE_UNAVAILABLE for `compiled` outside Node
 */
export function createEngine(name: EngineName = defaultEngineName, elsewhere: CallEngine = noEngine): CallEngine {
  const traced = createTracedEngine(elsewhere);
  return name === 'interpreter' ? createInterpreterEngine(traced) : createCompiledEngine(traced);
}
