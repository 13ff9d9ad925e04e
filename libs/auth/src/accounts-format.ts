import { createHash } from 'node:crypto';
import type { StoreFormat } from '@cairn/embedded-store';

/** Databases whose record keys may appear in errors. Record keys of other databases contain ids that grant access. */
const publicDatabases = new Set(['accounts', 'names', 'plans', 'billing-customers', 'stored-bytes']);

/** Layout of the store of accounts, plans and usage. Version 2 added a checksum to each record. */
export const accountsFormat: StoreFormat = {
  name: 'cairn-accounts',
  version: 2,
  seals: { upgradesFrom: 1, nameKey },
};

/** Names a record in errors: the account and a fingerprint instead of the secret part of its key. */
function nameKey(database: string, key: Uint8Array): string | undefined {
  if (publicDatabases.has(database)) return undefined;
  if (database === 'audit') return `entry ${Buffer.from(key).toString('hex')}`;
  const account = key.includes(0) ? `${Buffer.from(key.subarray(0, key.indexOf(0))).toString()} ` : '';
  return `${account}#${createHash('sha256').update(key).digest('hex').slice(0, 8)}`;
}
