import { createMemoryBlockstore, withCache, withMetrics, withVerification } from './index.ts';
import { describeBlockstore, describeCollectable } from './testing/index.ts';

describeBlockstore('the memory store', () => createMemoryBlockstore());
describeCollectable('the memory store', (now) => createMemoryBlockstore({ now }));
describeBlockstore('a wrapped store', () =>
  withMetrics(withCache(withVerification(createMemoryBlockstore()), { bytesMax: 4096 }), () => {}),
);
