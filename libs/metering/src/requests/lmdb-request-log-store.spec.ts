import { temporaryDirectories } from '../temporary-directory.fixture.ts';
import { describeRequestLogStore } from '../testing/describe-request-log-store.ts';
import { openLmdbRequestLogStore } from './lmdb-request-log-store.ts';

const newDirectory = temporaryDirectories();

describeRequestLogStore('LMDB', async () => {
  const directory = newDirectory();
  return () => openLmdbRequestLogStore({ directory });
});
