export { Database, type Entry, prefixEnd, type Range } from './database.ts';
export { databasesMax, Environment, type EnvironmentOptions } from './environment.ts';
export { StoreError, type StoreErrorCode, storeErrorFrom } from './errors.ts';
