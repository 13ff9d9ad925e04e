export { ObjectStoreError, type ObjectStoreErrorCode } from './errors.ts';
export { objectStoreLimits } from './limits.ts';
export { createMemoryObjectStore, type MemoryObjectStore } from './memory-object-store.ts';
export {
  type GetObjectOptions,
  type ListObjectsOptions,
  type ObjectBytes,
  type ObjectInfo,
  type ObjectOperation,
  type ObjectStore,
  type ObjectTraffic,
  type OperationTraffic,
  objectOperations,
  type PutObjectOptions,
  type PutStreamOptions,
} from './object-store.ts';
