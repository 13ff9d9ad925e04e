import { CID } from '@cairn/cid';
import type { StoreFormat } from '@cairn/embedded-store';
import { decodeRoot } from './pin-records.ts';

/** Format of the store of pins. Records have checksums since version 2. */
export const pinsFormat: StoreFormat = { name: 'cairn-pins', version: 2, seals: { upgradesFrom: 1, nameKey } };

/** Accounts and CIDs of a key. Damage may have reached the key itself: then its bytes are named. */
function nameKey(database: string, key: Uint8Array): string | undefined {
  const end = key.indexOf(0) + 1;
  const account = Buffer.from(key.subarray(0, end > 0 ? end - 1 : key.length)).toString();
  try {
    if (database === 'pins') return `${account} ${CID.decode(key.subarray(end))}`;
    if (database === 'released') return `${account} ${decodeRoot(key.subarray(end)).cid}`;
    if (database === 'roots') return `${decodeRoot(key).mode} ${decodeRoot(key).cid}`;
  } catch {
    return undefined;
  }
  return database === 'usage' ? account : undefined;
}
