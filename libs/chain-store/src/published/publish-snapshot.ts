import { createReadStream } from 'node:fs';
import type { ObjectStore } from '@cairn/object-store';
import { inspectSnapshot } from '../snapshot/restore-snapshot.ts';
import { SnapshotError } from '../snapshot/snapshot-error.ts';
import {
  announceSnapshot,
  newestSnapshot,
  type PublishedSnapshot,
  snapshotKey,
  snapshotPrefix,
} from './newest-snapshot.ts';
import type { SnapshotSigner } from './snapshot-keys.ts';

/** Snapshots of a network that stay: a replica may still read one that was the newest when it began. */
const keptSnapshots = 3;

const readBytes = 1024 * 1024;

export interface PublishOptions {
  readonly objects: ObjectStore;
  /** File of `writeSnapshot`. */
  readonly file: string;
  readonly signer: SnapshotSigner;
  /** Keys of earlier announcements that are accepted. Default: that of the signer. */
  readonly publicKeys?: readonly string[];
  /** Called with the number of bytes that were sent, and of all. */
  readonly onProgress?: (sent: number, total: number) => void;
  readonly signal?: AbortSignal;
}

/**
 * Copies a snapshot to an object store, names it as the newest one of its network, then removes all but the newest three. A
 * publication that is killed leaves at most an object without a name, which the next one completes or removes.
 * @throws SNAPSHOT_OLDER if the newest one has a later head; SNAPSHOT_UNTRUSTED if another key announced it; the errors of
 * `inspectSnapshot` and of the store
 */
export async function publishSnapshot(options: PublishOptions): Promise<PublishedSnapshot> {
  const { objects, file, signer, publicKeys = [signer.publicKey], signal } = options;
  const { network, chainId, head, base, bytes, chunks, root } = await inspectSnapshot(file);
  const newest = await newestSnapshot(objects, network, publicKeys, signal);
  if (newest !== undefined && newest.head.number > head.number)
    throw new SnapshotError(
      'SNAPSHOT_OLDER',
      `The newest snapshot of ${network} has block ${newest.head.number}; this one ends at block ${head.number}.`,
    );
  const key = snapshotKey({ network, head, root });
  const stored = await objects.stat(key, signal && { signal });
  if (stored?.bytes !== bytes) await objects.putStream(key, fileBytes(file, bytes, options), signal && { signal });
  const published = { network, chainId, head, base, root, bytes, chunks, key, publishedAt: Date.now() };
  await announceSnapshot(objects, published, signer);
  await removeOlder(objects, published, signal);
  return published;
}

async function* fileBytes(file: string, total: number, { onProgress }: PublishOptions): AsyncGenerator<Uint8Array> {
  let sent = 0;
  for await (const bytes of createReadStream(file, { highWaterMark: readBytes })) {
    yield bytes as Buffer;
    sent += (bytes as Buffer).length;
    onProgress?.(sent, total);
  }
}

async function removeOlder(
  objects: ObjectStore,
  { network, key: newest }: PublishedSnapshot,
  signal?: AbortSignal,
): Promise<void> {
  const keys: string[] = [];
  for await (const { key } of objects.list(snapshotPrefix(network), signal && { signal }))
    if (key.endsWith('.car') && key !== newest) keys.push(key);
  const older = keys.sort().slice(0, Math.max(0, keys.length - (keptSnapshots - 1)));
  if (older.length > 0) await objects.deleteMany(older, signal && { signal });
}
