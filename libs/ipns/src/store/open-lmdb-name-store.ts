import { Environment } from '@cairn/embedded-store';
import { LmdbNameKeys } from './lmdb-name-keys.ts';
import { LmdbNameRecords } from './lmdb-name-records.ts';
import type { NameStore } from './name-store.ts';
import { namesFormat } from './names-format.ts';

/**
 * Opens keys and records of names in an LMDB environment.
 * @throws STORE_UNAVAILABLE, STORE_CORRUPT, STORE_VERSION_UNSUPPORTED
 */
export async function openLmdbNameStore({
  directory,
  now = Date.now,
}: {
  readonly directory: string;
  /** Milliseconds since 1970. Default: the clock. */
  readonly now?: () => number;
}): Promise<NameStore> {
  const environment = await Environment.open({ directory, format: namesFormat });
  return {
    keys: new LmdbNameKeys(environment),
    records: new LmdbNameRecords(environment, now),
    assertConsistent: ({ signal } = {}) => environment.verifyPages({ ...(signal && { signal }) }),
    close: () => environment.close(),
  };
}
