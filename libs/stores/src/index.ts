export { type EngineFailure, type EngineFailureKind, engineFailureOf } from './engine-failure.ts';
export { type EngineState, engineWatchLimits } from './engine-watch.ts';
export { openStores } from './open-stores.ts';
export { packMaintenanceOf } from './pack-maintenance-of.ts';
export { engineStates } from './shared-engines.ts';
export { type StoreSettings, StoresError, type StoresErrorCode } from './store-settings.ts';
export type { BlockStoreOptions, SharedRedis, StoreGroup, Stores } from './stores.ts';
export { requireRestored, restoreDirectories } from './unfinished-restore.ts';
