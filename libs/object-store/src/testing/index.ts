export { createMemoryObjectStore, type MemoryObjectStore } from '../memory-object-store.ts';
export { describeObjectStore } from './describe-object-store.ts';
