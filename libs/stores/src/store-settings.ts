import { CairnError } from '@cairn/errors';

/** Settings that choose adapters. */
export interface StoreSettings {
  /** Directory of the embedded stores. With a database it holds only what may be lost. */
  readonly CAIRN_HOME: string;
  /** URL of PostgreSQL. All shared state is in it. */
  readonly CAIRN_DATABASE_URL?: string | undefined;
  /** URL of the bucket of blocks. */
  readonly CAIRN_OBJECT_STORE?: string | undefined;
  /** Credentials of the bucket. */
  readonly AWS_ACCESS_KEY_ID?: string | undefined;
  readonly AWS_SECRET_ACCESS_KEY?: string | undefined;
  readonly AWS_SESSION_TOKEN?: string | undefined;
  /** URL of Redis, which holds limits. */
  readonly CAIRN_REDIS_URL?: string | undefined;
  /** Seconds for which known keys are accepted while the database is away. Default: 300 */
  readonly CAIRN_ACCOUNTS_OUTAGE_SECONDS?: number | undefined;
  /** Bytes of the cache of blocks of the bucket, in `cache/blocks` of CAIRN_HOME. Default: no cache. */
  readonly CAIRN_BLOCK_CACHE_BYTES?: number | undefined;
}

export type StoresErrorCode = 'STORES_SETTINGS_INVALID' | 'HOME_INCOMPLETE';

/** Error of the choice of adapters, or of a home that must not be used. Messages contain no URL, since a URL may contain a password. */
export class StoresError extends CairnError<StoresErrorCode> {}

/** Refuses settings that would divide the state of a deployment between a database and a directory. @throws STORES_SETTINGS_INVALID */
export function requireWhole({ CAIRN_DATABASE_URL, CAIRN_OBJECT_STORE, CAIRN_REDIS_URL }: StoreSettings): void {
  if (CAIRN_DATABASE_URL !== undefined) return;
  const alone = [
    CAIRN_OBJECT_STORE !== undefined && 'CAIRN_OBJECT_STORE',
    CAIRN_REDIS_URL !== undefined && 'CAIRN_REDIS_URL',
  ].filter((name) => name !== false);
  if (alone.length === 0) return;
  throw new StoresError('STORES_SETTINGS_INVALID', `${alone.join(' and ')} is set, and CAIRN_DATABASE_URL is not.`, {
    hint: `Set CAIRN_DATABASE_URL as well, or remove ${alone.join(' and ')} to keep all state in CAIRN_HOME.`,
    details: { settings: alone },
  });
}

/** Error of a store that needs a further engine in the distributed form. */
export function engineMissing(store: string, setting: string): StoresError {
  return new StoresError('STORES_SETTINGS_INVALID', `CAIRN_DATABASE_URL is set, and ${store} need ${setting}.`, {
    hint: `Set ${setting} as well, or remove CAIRN_DATABASE_URL to keep all state in CAIRN_HOME.`,
    details: { settings: [setting] },
  });
}
