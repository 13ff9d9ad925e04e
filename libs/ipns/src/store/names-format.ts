import type { StoreFormat } from '@cairn/embedded-store';

/** Layout of the store of names. */
export const namesFormat: StoreFormat = { name: 'cairn-names', version: 1, seals: {} };
