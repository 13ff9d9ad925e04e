import { describeProvideStore } from './testing/describe-provide-store.ts';
import { MemoryProvideStore } from './testing/memory-provide-store.ts';

describeProvideStore('MemoryProvideStore', async () => new MemoryProvideStore());
