import { existsSync } from 'node:fs';
import { mkdir, rename, rm } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import type { Hex } from '@cairn/block-model';
import { emptyTrieRoot } from '@cairn/trie';
import { openChainStore } from '../chain-store.ts';
import { FlatState } from '../flat-state.ts';
import { buildGenesis, type Genesis, loadGenesis } from '../genesis.ts';
import { ImportState } from '../import-state.ts';
import { syncDirectory } from './car-file.ts';
import { RestoreSession } from './restore-session.ts';
import { SnapshotError } from './snapshot-error.ts';
import { SnapshotFile } from './snapshot-file.ts';
import type { SnapshotProgress, SnapshotSummary } from './write-snapshot.ts';

export interface RestoreOptions {
  readonly file: string;
  /** Directory of the new chain. It appears when the chain is complete. */
  readonly directory: string;
  /** Network whose chain is restored: the chain must begin with its genesis. */
  readonly network: { readonly name: string; readonly genesis: string };
  /** Hash of the newest block. Without it, the head of the file is trusted. */
  readonly head?: Hex | undefined;
  readonly onProgress?: (progress: SnapshotProgress) => void;
  readonly signal?: AbortSignal;
}

/** Contents of a snapshot's manifest. */
export interface SnapshotInfo extends SnapshotSummary {
  /** Name of the network where it was written. */
  readonly network: string;
  readonly chainId: string;
}

/** Reads the manifest of a snapshot and verifies its structure. @throws SNAPSHOT_DAMAGED, SNAPSHOT_INVALID, SNAPSHOT_VERSION_UNSUPPORTED */
export async function inspectSnapshot(path: string): Promise<SnapshotInfo> {
  const file = await SnapshotFile.open(path);
  await file.close();
  const { network, chainId } = file.manifest;
  return { ...summaryOf(file), network, chainId };
}

/**
 * Creates a chain from a snapshot. Every block is linked by hash from the head to the genesis. Bodies, receipts, codes and states
 * are verified against the hashes and roots in the headers. A stopped or killed restore resumes with the next call.
 * @throws SNAPSHOT_DAMAGED, SNAPSHOT_INVALID, SNAPSHOT_VERSION_UNSUPPORTED, SNAPSHOT_HEAD_DIFFERS, SNAPSHOT_NETWORK_DIFFERS,
 * CHAIN_NOT_EMPTY, RESTORE_DIFFERS, GENESIS_INVALID, STORE_FULL, the reason of the signal
 */
export async function restoreSnapshot(options: RestoreOptions): Promise<SnapshotSummary> {
  const { directory, network } = options;
  if (existsSync(directory)) throw notEmptyError(directory);
  const file = await SnapshotFile.open(options.file);
  try {
    const genesis = await loadGenesis(network.name, network.genesis);
    verifyExpectations(options, file, genesis);
    const partial = join(dirname(directory), `.${basename(directory)}.restoring`);
    await mkdir(dirname(directory), { recursive: true, mode: 0o700 });
    await restoreInto(partial, file, genesis, options);
    await publish(partial, directory);
    return summaryOf(file);
  } finally {
    await file.close();
  }
}

function verifyExpectations({ head, network }: RestoreOptions, file: SnapshotFile, { spec }: Genesis): void {
  const { manifest } = file;
  if (head !== undefined && head !== manifest.head.hash)
    throw new SnapshotError(
      'SNAPSHOT_HEAD_DIFFERS',
      `The head of the snapshot ${file.path} is block ${manifest.head.number} (${manifest.head.hash}), not ${head}.`,
    );
  if (manifest.chainId !== BigInt(spec.chainId).toString())
    throw new SnapshotError(
      'SNAPSHOT_NETWORK_DIFFERS',
      `The snapshot ${file.path} is of chain ${manifest.chainId} ("${manifest.network}"), while network "${network.name}" is chain ${spec.chainId}.`,
    );
}

async function restoreInto(
  partial: string,
  file: SnapshotFile,
  genesis: Genesis,
  { onProgress, signal }: RestoreOptions,
): Promise<void> {
  const store = await openChainStore({ directory: partial });
  try {
    // Nothing of the genesis is written here: the snapshot contains its block, and the state at its base.
    const state = new ImportState(store.tables, new FlatState(store.tables, -1n), emptyTrieRoot);
    const { hash } = await buildGenesis(genesis, state);
    await new RestoreSession({ store, file, genesis, genesisHash: hash, onProgress, signal }).run();
    await store.close();
  } catch (error) {
    await store.close();
    // The file is refused in the next run too, so there is nothing to resume.
    if (error instanceof SnapshotError && error.code === 'SNAPSHOT_INVALID') await rm(partial, { recursive: true });
    throw error;
  }
}

async function publish(partial: string, directory: string): Promise<void> {
  if (existsSync(directory)) throw notEmptyError(directory);
  await syncDirectory(partial);
  await rename(partial, directory);
  await syncDirectory(dirname(directory));
}

function notEmptyError(directory: string): SnapshotError {
  return new SnapshotError('CHAIN_NOT_EMPTY', `There is a chain in ${directory} already.`);
}

function summaryOf({ manifest, root, chunks, bytes }: SnapshotFile): SnapshotSummary {
  const { head, base } = manifest;
  return { head, base, root, chunks, bytes };
}
