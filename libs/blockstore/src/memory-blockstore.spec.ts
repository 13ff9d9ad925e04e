import { createMemoryBlockstore, withCache, withMetrics, withVerification, withWait, withYielding } from './index.ts';
import { describeBlockstore, describeCollectable } from './testing/index.ts';

describeBlockstore('the memory store', () => createMemoryBlockstore());
describeCollectable('the memory store', (now) => createMemoryBlockstore({ now }));
describeBlockstore('a store in all wrappers', () => {
  const waiting = withWait(withVerification(createMemoryBlockstore()), { waitMs: () => 0 });
  return withMetrics(withCache(withYielding(waiting), { bytesMax: 4096 }), () => {});
});
