import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describePinRequestStore } from '../testing/index.ts';
import { openLmdbPinRequestStore } from './lmdb-pin-request-store.ts';

describePinRequestStore('openLmdbPinRequestStore', async (now) => {
  const directory = mkdtempSync(join(tmpdir(), 'cairn-requests-'));
  const store = await openLmdbPinRequestStore({ directory, now });
  return {
    store,
    reopen: async () => {
      await store.close();
      return await openLmdbPinRequestStore({ directory, now });
    },
    remove: async () => rmSync(directory, { recursive: true }),
  };
});
