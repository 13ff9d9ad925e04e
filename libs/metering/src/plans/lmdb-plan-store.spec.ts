import { temporaryDirectories } from '../temporary-directory.fixture.ts';
import { describePlanStore } from '../testing/describe-plan-store.ts';
import { openLmdbPlanStore } from './lmdb-plan-store.ts';

const newDirectory = temporaryDirectories();

describePlanStore('LMDB', async () => {
  const directory = newDirectory();
  return () => openLmdbPlanStore({ directory });
});
