import type { StoreFormat } from '@cairn/embedded-store';

/** Format of the store of accounts, which plans and the ledger share. Records have checksums since version 2. */
export const meteringFormat: StoreFormat = {
  name: 'cairn-accounts',
  version: 2,
  // Rows of the ledger end with the id of a key, which opens JSON-RPC: account and time name a row well enough.
  seals: { upgradesFrom: 1, nameKey: (_, key) => Buffer.from(key).toString().split('\0').slice(0, 2).join(' ') },
};
