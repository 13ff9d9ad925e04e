import { temporaryDirectories } from '../temporary-directory.fixture.ts';
import { describeUsageStore } from '../testing/describe-usage-store.ts';
import { openLmdbUsageStore } from './lmdb-usage-store.ts';

const newDirectory = temporaryDirectories();

describeUsageStore('LMDB', async () => {
  const directory = newDirectory();
  return () => openLmdbUsageStore({ directory });
});
