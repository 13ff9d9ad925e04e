export { describeObjectStore } from './describe-object-store.ts';
export { createMemoryObjectStore, type MemoryObjectStore } from './memory-object-store.ts';
