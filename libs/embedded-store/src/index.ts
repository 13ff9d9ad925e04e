export { backupEnvironment } from './backup.ts';
export { Database, type Entry, prefixEnd, type Range } from './database.ts';
export { Environment, type EnvironmentOptions } from './environment.ts';
export { StoreError, type StoreErrorCode } from './errors.ts';
export { Lease, type LeaseOptions } from './lease.ts';
export { limits } from './limits.ts';
export { isGone, type ProcessIdentity, processIdentity } from './process-identity.ts';
export { type StoreState, storeStates } from './store-states.ts';
