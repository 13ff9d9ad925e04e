import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openLmdbPinStore } from '../lmdb-pin-store.ts';
import { describePinRequestStore } from '../testing/index.ts';
import { openLmdbPinRequestStore } from './lmdb-pin-request-store.ts';

describePinRequestStore('openLmdbPinRequestStore', async (now) => {
  const directory = mkdtempSync(join(tmpdir(), 'cairn-requests-'));
  const store = await openLmdbPinRequestStore({ directory, now });
  const pins = await openLmdbPinStore({ directory });
  return {
    store,
    pins,
    reopen: async () => {
      await store.close();
      return await openLmdbPinRequestStore({ directory, now });
    },
    remove: async () => {
      await pins.close();
      rmSync(directory, { recursive: true });
    },
  };
});
