// For browsers: the compiler would add more bytes than the interpreter has.

import type { CallEngine } from './call-engine.ts';
import type { EngineName } from './engine-name.ts';
import { EngineUnavailableError } from './errors.ts';

export const defaultEngineName: EngineName = 'interpreter';

/** @throws ENGINE_UNAVAILABLE */
export function createCompiledEngine(_elsewhere: CallEngine): CallEngine {
  throw new EngineUnavailableError('compiled');
}
