import { describeObjectStore } from './describe-object-store.ts';
import { createMemoryObjectStore } from './memory-object-store.ts';

describeObjectStore('createMemoryObjectStore', () => createMemoryObjectStore());
