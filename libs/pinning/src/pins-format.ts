import { CID } from '@cairn/cid';
import type { StoreFormat } from '@cairn/embedded-store';
import { decodeRoot } from './pin-records.ts';

/** Format of the pin store. Records have checksums since version 2. */
export const pinsFormat: StoreFormat = { name: 'cairn-pins', version: 2, seals: { upgradesFrom: 1, nameKey } };

/** Names a key by its account and CID. Returns undefined for a damaged key, so that messages show its bytes. */
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
  return database === 'usage' || database.startsWith('request') ? account : undefined;
}
