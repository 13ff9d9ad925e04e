import { existsSync } from 'node:fs';
import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { openSecrets } from '@cairn/auth';
import type { SnapshotSummary } from '@cairn/chain-store';
import {
  type PublishedSnapshot,
  publishSnapshot,
  restorePublished,
  type SnapshotSigner,
  snapshotSigner,
} from '@cairn/chain-store/published';
import { CairnError } from '@cairn/errors';
import type { ObjectStore } from '@cairn/object-store';
import { openS3ObjectStore, s3Credentials } from '@cairn/object-store/s3';
import { type CommonOptions, progressOf, snapshotNetwork } from './chain-snapshots.ts';
import { chainDirectory, localNetwork, localNetworks } from './networks.ts';
import type { CommandSettings } from './settings.ts';
import { secretSettings, withAccountStore } from './stores.ts';

/** Purpose of the derived key. A change makes published snapshots unverifiable. */
const keyPurpose = 'chain snapshots';

/** Result of `cairn chain snapshot --publish`. */
export interface Publication extends SnapshotSummary {
  readonly key: string;
  readonly publicKey: string;
}

/** Writes a snapshot of a network and publishes it. The file is removed. @throws errors of `writeSnapshot` and `publishSnapshot` */
export async function publishNetwork(
  settings: CommandSettings,
  name: string,
  { states, ...common }: CommonOptions & { readonly states?: number | undefined },
): Promise<Publication> {
  const [signer, ...older] = await signersOf(settings);
  if (signer === undefined) throw new Error('There is no key of the deployment.');
  return await withObjects(settings, async (objects) => {
    const directory = join(settings.CAIRN_HOME, 'snapshots');
    await mkdir(directory, { recursive: true, mode: 0o700 });
    const out = join(directory, `${name}-${process.pid}.car`);
    try {
      await snapshotNetwork(settings, name, { out, states, ...common });
      const publicKeys = [signer, ...older].map(({ publicKey }) => publicKey);
      const { signal } = common;
      const onProgress = bytesProgress(name, 'published', common);
      const { key, head, base, root, bytes, chunks } = await publishSnapshot({
        objects,
        file: out,
        signer,
        publicKeys,
        onProgress,
        signal,
      });
      return { key, head, base, root, bytes, chunks, publicKey: signer.publicKey };
    } finally {
      await rm(out, { force: true });
    }
  });
}

export interface RestoredNetwork {
  readonly network: string;
  /** Absent where nothing was restored. */
  readonly snapshot?: PublishedSnapshot;
  /** Why nothing was restored. */
  readonly skipped?: 'has a chain' | 'has no published snapshot';
}

/**
 * Restores the newest published snapshot of a network, or of every network without a chain.
 * @throws errors of `restorePublished`
 */
export async function restorePublishedNetworks(
  settings: CommandSettings,
  {
    network,
    signedBy,
    ...common
  }: CommonOptions & { readonly network?: string | undefined; readonly signedBy?: readonly string[] | undefined },
): Promise<readonly RestoredNetwork[]> {
  const publicKeys = signedBy ?? (await signersOf(settings)).map(({ publicKey }) => publicKey);
  const targets = network === undefined ? localNetworks(settings) : [localNetwork(settings, network)];
  return await withObjects(settings, async (objects) => {
    const results: RestoredNetwork[] = [];
    for (const target of targets) {
      const { name } = target;
      const directory = chainDirectory(settings, target);
      if (network === undefined && existsSync(directory)) {
        results.push({ network: name, skipped: 'has a chain' });
        continue;
      }
      const snapshot = await restorePublished({
        objects,
        publicKeys,
        network: target,
        directory,
        downloads: join(settings.CAIRN_HOME, 'snapshots'),
        onDownload: bytesProgress(name, 'received', common),
        ...progressOf(name, common),
      });
      results.push({ network: name, ...(snapshot ? { snapshot } : { skipped: 'has no published snapshot' }) });
    }
    return results;
  });
}

/** Signers of the deployment: that of its current key first, then those of older keys, which verify only. */
async function signersOf(settings: CommandSettings): Promise<readonly SnapshotSigner[]> {
  const keys = secretSettings(settings);
  // The embedded form has no blocks in an object store; here the bucket holds snapshots only.
  const forms = keys.isShared ? settings : { ...settings, CAIRN_OBJECT_STORE: undefined };
  return await withAccountStore(forms, async (accounts) => {
    const { secrets } = await openSecrets(accounts, keys);
    return secrets.deriveEach(keyPurpose).map(snapshotSigner);
  });
}

async function withObjects<T>(settings: CommandSettings, use: (objects: ObjectStore) => Promise<T>): Promise<T> {
  const { CAIRN_OBJECT_STORE: url } = settings;
  if (url === undefined)
    throw new CairnError('OBJECT_STORE_MISSING', 'Published snapshots are in an object store, and none is set.', {
      hint: 'Set CAIRN_OBJECT_STORE, such as s3://bucket/prefix?endpoint=https://s3.example&region=eu-1.',
    });
  const objects = await openS3ObjectStore({ url, credentials: s3Credentials(settings) });
  try {
    return await use(objects);
  } finally {
    await objects.close();
  }
}

const lineEveryMs = 2000;

function bytesProgress(name: string, verb: string, { isQuiet }: CommonOptions) {
  let printedAt = performance.now();
  return (done: number, total: number) => {
    if (isQuiet || performance.now() - printedAt < lineEveryMs) return;
    printedAt = performance.now();
    console.log(`${name}: ${verb} ${done} of ${total} bytes`);
  };
}
