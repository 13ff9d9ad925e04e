import type { AccountState } from '@cairn/block-model';

/** Account whose storage root is always known. */
export type ProvenAccount = AccountState & { readonly storageRoot: Uint8Array };
