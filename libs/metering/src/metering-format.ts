import type { StoreFormat } from '@cairn/embedded-store';

/** Layout of the account store, which plans and usage share. Version 2 added a checksum to each record. */
export const meteringFormat: StoreFormat = {
  name: 'cairn-accounts',
  version: 2,
  // Keys of usage rows end with a key id, which grants JSON-RPC access. Error messages name account and time only.
  seals: { upgradesFrom: 1, nameKey: (_, key) => Buffer.from(key).toString().split('\0').slice(0, 2).join(' ') },
};
