import type { StoreFormat } from '@cairn/embedded-store';
import { cidOfKey } from './key-pages.ts';

/** Bytes of an owner in the keys of claims. */
const ownerBytes = 6;

/** Format of the store of blocks. All records but the bytes of blocks have checksums since version 2; those have their hash. */
export const blocksFormat: StoreFormat = {
  name: 'cairn-blocks',
  version: 2,
  seals: { upgradesFrom: 1, except: ['blocks'], nameKey },
};

/** The block of a key. Damage may have reached the key itself: then its bytes are named. */
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
