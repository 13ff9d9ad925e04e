import { mkdir, open, rename, rm } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { isCairnError } from '@cairn/errors';
import type { ObjectStore } from '@cairn/object-store';
import { inspectSnapshot, type RestoreOptions, restoreSnapshot } from '../snapshot/restore-snapshot.ts';
import { damagedSnapshot, SnapshotError } from '../snapshot/snapshot-error.ts';
import { newestSnapshot, type PublishedSnapshot } from './newest-snapshot.ts';

/** Default of {@link RestorePublishedOptions.rangeBytes}. */
const defaultRangeBytes = 16 * 1024 * 1024;

export interface RestorePublishedOptions
  extends Pick<RestoreOptions, 'directory' | 'network' | 'onProgress' | 'signal'> {
  readonly objects: ObjectStore;
  /** Keys whose announcement is accepted. */
  readonly publicKeys: readonly string[];
  /** Directory of the downloaded file, which is removed after the restore. */
  readonly downloads: string;
  /** Bytes of one request. A download that was stopped continues after the last complete one. */
  readonly rangeBytes?: number;
  /** Called with the number of bytes that were received, and of all. */
  readonly onDownload?: (received: number, total: number) => void;
}

/**
 * Creates a chain from the newest published snapshot. The announcement is verified against its signature, the file against the
 * root in it, and the chain as `restoreSnapshot` does. A stopped or killed call resumes with the next one.
 * @returns undefined if no snapshot of the network was published
 * @throws SNAPSHOT_UNTRUSTED, errors of `restoreSnapshot` and of the store
 */
export async function restorePublished(options: RestorePublishedOptions): Promise<PublishedSnapshot | undefined> {
  const { objects, publicKeys, network, directory, onProgress, signal } = options;
  const published = await newestSnapshot(objects, network.name, publicKeys, signal);
  if (published === undefined) return undefined;
  const file = await download(published, options);
  try {
    if ((await inspectSnapshot(file)).root !== published.root)
      throw damagedSnapshot(file, `its root is not ${published.root}`);
    const { hash: head } = published.head;
    await restoreSnapshot({
      file,
      directory,
      network,
      head,
      ...(onProgress && { onProgress }),
      ...(signal && { signal }),
    });
  } catch (error) {
    // The next call downloads a damaged file again.
    if (isCairnError(error, 'SNAPSHOT_DAMAGED', 'SNAPSHOT_INVALID')) await rm(file, { force: true });
    throw error;
  }
  await rm(file);
  return published;
}

/** Downloads a snapshot, or the rest of one, and returns its path. */
async function download(
  { key, bytes: total }: PublishedSnapshot,
  { objects, downloads, rangeBytes = defaultRangeBytes, onDownload, signal }: RestorePublishedOptions,
): Promise<string> {
  await mkdir(downloads, { recursive: true, mode: 0o700 });
  const path = join(downloads, basename(key));
  const partial = `${path}.part`;
  if (await isFile(path)) return path;
  const file = await open(partial, 'a', 0o600);
  try {
    let { size: received } = await file.stat();
    if (received > total) throw damagedSnapshot(partial, `it has ${received} bytes instead of ${total}`);
    while (received < total) {
      signal?.throwIfAborted();
      const length = Math.min(rangeBytes, total - received);
      await file.appendFile(await objects.get(key, { range: { offset: received, length }, ...(signal && { signal }) }));
      received += length;
      onDownload?.(received, total);
    }
    await file.sync();
  } catch (error) {
    if (isCairnError(error, 'SNAPSHOT_DAMAGED')) await rm(partial, { force: true });
    if (isCairnError(error, 'OBJECT_NOT_FOUND')) throw replaced(key, error);
    throw error;
  } finally {
    await file.close();
  }
  await rename(partial, path);
  return path;
}

async function isFile(path: string): Promise<boolean> {
  const file = await open(path, 'r').catch(() => undefined);
  await file?.close();
  return file !== undefined;
}

function replaced(key: string, cause: unknown): SnapshotError {
  return new SnapshotError('SNAPSHOT_REPLACED', `The object ${key} was removed: newer snapshots replace it.`, cause);
}
