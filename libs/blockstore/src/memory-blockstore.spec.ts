import { createMemoryBlockstore, withCache, withMetrics, withVerification } from './index.ts';
import { describeBlockstore } from './testing/index.ts';

describeBlockstore('the memory store', createMemoryBlockstore);
describeBlockstore('a wrapped store', () =>
  withMetrics(withCache(withVerification(createMemoryBlockstore()), { bytesMax: 4096 }), () => {}),
);
