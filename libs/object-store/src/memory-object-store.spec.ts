import { createMemoryObjectStore } from './memory-object-store.ts';
import { describeObjectStore } from './testing/describe-object-store.ts';

describeObjectStore('createMemoryObjectStore', () => createMemoryObjectStore());
