import { CID, codecs } from '@cairn/cid';
import * as Digest from 'multiformats/hashes/digest';

export const keysPerRead = 256;

/** Streams keys as CIDs, one page per read, and yields to the event loop between pages. */
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

/** Returns the CIDv1 of the raw codec for a key, which is a multihash. */
export function cidOfKey(key: Uint8Array): CID {
  return CID.createV1(codecs.raw, Digest.decode(key));
}

/** Returns the smallest key above a key. */
export function keyAfter(key: Uint8Array): Uint8Array {
  return Buffer.concat([key, Buffer.of(0)]);
}
