import { CID, codecs } from '@cairn/cid';
import * as Digest from 'multiformats/hashes/digest';

export const keysPerRead = 256;

/** Keys page by page as CIDs, with a turn of the event loop between. */
export async function* cidPages(
  read: (start: Uint8Array | undefined) => readonly Uint8Array[],
  signal?: AbortSignal,
): AsyncGenerator<CID> {
  let start: Uint8Array | undefined;
  while (true) {
    signal?.throwIfAborted();
    const page = read(start);
    for (const key of page) yield cidOfKey(key);
    const last = page.at(-1);
    if (last === undefined || page.length < keysPerRead) return;
    start = keyAfter(last);
    await new Promise((resolve) => setImmediate(resolve));
  }
}

/** The CIDv1 of the raw codec of a block whose key is its multihash. */
export function cidOfKey(key: Uint8Array): CID {
  return CID.createV1(codecs.raw, Digest.decode(key));
}

/** The first key after one. */
export function keyAfter(key: Uint8Array): Uint8Array {
  return Buffer.concat([key, Buffer.of(0)]);
}
