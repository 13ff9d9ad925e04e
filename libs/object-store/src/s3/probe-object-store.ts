import { randomBytes } from 'node:crypto';
import { isCairnError } from '@cairn/errors';
import { ObjectStoreError } from '../errors.ts';
import type { ObjectStore } from '../object-store.ts';

/** Concurrent writers of one key. One or two would not detect a server that checks and writes in two steps. */
const racers = 16;

/** Age after which objects of an earlier probe are removed: its process was killed. */
const leftoverMs = 3_600_000;

/**
 * Verifies that a server has the operations this package depends on, with about 25 requests below `probe/`. Some servers ignore
 * a condition or a checksum without an error.
 * @throws OBJECT_STORE_UNFIT, which names all missing operations; OBJECT_STORE_DENIED and others if it does not serve at all
 */
export async function probeObjectStore(store: ObjectStore): Promise<void> {
  const name = `probe/${Date.now()}-${randomBytes(8).toString('hex')}`;
  const bytes = randomBytes(4096);
  const keys = ['whole', 'raced', 'wrong', 'parts'].map((part) => `${name}-${part}`);
  const [whole, raced, wrong, parts] = keys as [string, string, string, string];
  // An error of this write is one of credentials, bucket or network.
  await store.put(whole, bytes);
  const checks: readonly (readonly [string, () => Promise<boolean>])[] = [
    ['reads', async () => bytes.equals(await store.get(whole))],
    [
      'ranges',
      async () => bytes.subarray(1000, 1500).equals(await store.get(whole, { range: { offset: 1000, length: 500 } })),
    ],
    ['conditional writes (If-None-Match)', () => isRaceSafe(store, raced)],
    ['checksums (SHA-256)', () => isWrongRefused(store, wrong, bytes)],
    ['uploads in parts', async () => bytes.equals(await uploadedInParts(store, parts, bytes))],
    [
      'HEAD',
      async () => (await store.stat(whole))?.bytes === bytes.length && (await store.stat(`${name}-none`)) === undefined,
    ],
    ['lists', async () => (await keysBelow(store, name)).includes(whole)],
    ['deletes of several objects', () => isDeleted(store, keys)],
  ];
  const missing: string[] = [];
  for (const [operation, check] of checks) if (!(await holds(check))) missing.push(operation);
  if (missing.length > 0)
    throw new ObjectStoreError('OBJECT_STORE_UNFIT', `The object store lacks: ${missing.join(', ')}.`, {
      hint: 'Use AWS S3, Cloudflare R2, Ceph, SeaweedFS or versitygw in a recent version.',
      details: { missing },
    });
  await removeLeftovers(store);
}

/** An error of the network is none of the server's abilities. */
async function holds(check: () => Promise<boolean>): Promise<boolean> {
  try {
    return await check();
  } catch (error) {
    const isAway = isCairnError(error, 'OBJECT_STORE_UNAVAILABLE') || isCairnError(error, 'OBJECT_STORE_BUSY');
    if (isAway && !hasAnswer(error)) throw error;
    return false;
  }
}

/** Reports whether the server answered with an error, such as 501, instead of not at all. */
function hasAnswer(error: { readonly details: Readonly<Record<string, unknown>> }): boolean {
  return error.details.status !== undefined && error.details.status !== 503;
}

async function isRaceSafe(store: ObjectStore, key: string): Promise<boolean> {
  const writes = Array.from({ length: racers }, (_, index) => store.put(key, Buffer.from([index]), { ifAbsent: true }));
  const results = await Promise.allSettled(writes);
  const winners = results.flatMap(({ status }, index) => (status === 'fulfilled' ? [index] : []));
  const losers = results.filter(
    (result) => result.status === 'rejected' && isCairnError(result.reason, 'OBJECT_EXISTS'),
  );
  const [stored] = await store.get(key);
  return winners.length === 1 && losers.length === racers - 1 && stored === winners[0];
}

async function isWrongRefused(store: ObjectStore, key: string, bytes: Uint8Array): Promise<boolean> {
  const refusal = await store.put(key, bytes, { sha256: randomBytes(32) }).catch((error: unknown) => error);
  return isCairnError(refusal, 'OBJECT_CHECKSUM_MISMATCH') && (await store.stat(key)) === undefined;
}

/** The bytes are fewer than a part, so the upload is forced. */
async function uploadedInParts(store: ObjectStore, key: string, bytes: Uint8Array): Promise<Uint8Array> {
  await store.putStream(
    key,
    (async function* () {
      yield bytes;
    })(),
    { isAlwaysInParts: true },
  );
  return store.get(key);
}

async function keysBelow(store: ObjectStore, prefix: string): Promise<string[]> {
  const keys: string[] = [];
  for await (const { key } of store.list(prefix)) keys.push(key);
  return keys;
}

async function isDeleted(store: ObjectStore, keys: readonly string[]): Promise<boolean> {
  await store.deleteMany(keys);
  const found = await Promise.all(keys.map((key) => store.stat(key)));
  return found.every((info) => info === undefined);
}

async function removeLeftovers(store: ObjectStore): Promise<void> {
  const leftovers: string[] = [];
  for await (const { key, modifiedAt } of store.list('probe/'))
    if (modifiedAt.getTime() < Date.now() - leftoverMs) leftovers.push(key);
  await store.deleteMany(leftovers);
}
