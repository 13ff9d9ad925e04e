import type { EngineName } from './engine-name.ts';

export { createCompiledEngine } from './compiled/compiled-engine.ts';

export const defaultEngineName: EngineName = 'compiled';
