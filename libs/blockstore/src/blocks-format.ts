import type { StoreFormat } from '@cairn/embedded-store';
import { cidOfKey } from './key-pages.ts';

/** Length of an owner in the keys of claims, in bytes. */
const ownerBytes = 6;

/** Format of the block store. Since version 2 all records have checksums, except block bytes, which are verified by hash. */
export const blocksFormat: StoreFormat = {
  name: 'cairn-blocks',
  version: 2,
  seals: { upgradesFrom: 1, except: ['blocks'], nameKey },
};

/** Names a key by its CID. Returns undefined for a damaged key, so that messages show its bytes. */
function nameKey(database: string, key: Uint8Array): string | undefined {
  try {
    if (database === 'index' || database === 'quarantine') return String(cidOfKey(key));
    if (database === 'claims') return String(cidOfKey(key.subarray(ownerBytes)));
    if (database === 'claimants') return String(cidOfKey(key.subarray(0, key.length - ownerBytes)));
  } catch {
    return undefined;
  }
  return undefined;
}
