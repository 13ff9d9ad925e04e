import { createHash } from 'node:crypto';
import type { StoreFormat } from '@cairn/embedded-store';

/** Databases whose keys may be shown; those of others are, or end with, ids that open something. */
const shown = new Set(['accounts', 'names', 'plans', 'billing-customers', 'stored-bytes']);

/** Format of the store of accounts, plans and the ledger. Records have checksums since version 2. */
export const accountsFormat: StoreFormat = {
  name: 'cairn-accounts',
  version: 2,
  seals: { upgradesFrom: 1, nameKey },
};

/** Name of a record without the secret part of its key; a fingerprint tells records apart. */
function nameKey(database: string, key: Uint8Array): string | undefined {
  if (shown.has(database)) return undefined;
  if (database === 'audit') return `entry ${Buffer.from(key).toString('hex')}`;
  const account = key.includes(0) ? `${Buffer.from(key.subarray(0, key.indexOf(0))).toString()} ` : '';
  return `${account}#${createHash('sha256').update(key).digest('hex').slice(0, 8)}`;
}
