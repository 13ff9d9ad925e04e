import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { Hex } from '@cairn/block-model';
import {
  inspectSnapshot,
  openChainStore,
  restoreSnapshot,
  type SnapshotProgress,
  type SnapshotSummary,
  writeSnapshot,
} from '@cairn/chain-store';
import { CairnError } from '@cairn/errors';
import { chainDirectory, localNetwork } from './networks.ts';
import type { CommandSettings } from './settings.ts';

const lineEveryMs = 2000;

export interface CommonOptions {
  /** Prints no progress. */
  readonly isQuiet: boolean;
  readonly signal: AbortSignal;
}

/** Writes a snapshot of a network. @throws CHAIN_NOT_FOUND, errors of `writeSnapshot` */
export async function snapshotNetwork(
  settings: CommandSettings,
  name: string,
  {
    out,
    states,
    ...common
  }: CommonOptions & { readonly out?: string | undefined; readonly states?: number | undefined },
): Promise<SnapshotSummary & { readonly file: string }> {
  const network = localNetwork(settings, name);
  const directory = chainDirectory(settings, network);
  // Opening would create an empty store.
  if (!existsSync(join(directory, 'data.mdb')))
    throw new CairnError('CHAIN_NOT_FOUND', `There is no chain in ${directory}.`, {
      hint: `Set CAIRN_HOME to the home of the services, or run \`cairn import ${name}\` first.`,
    });
  const store = await openChainStore({ directory });
  try {
    const file = out ?? resolve(`${name}-${store.head.number}.car`);
    const summary = await writeSnapshot({ store, network: name, file, states, ...progressOf(name, common) });
    return { file, ...summary };
  } finally {
    await store.close();
  }
}

/** Creates the chain of a network from a snapshot. @throws errors of `restoreSnapshot` */
export async function restoreNetwork(
  settings: CommandSettings,
  file: string,
  {
    network,
    head,
    ...common
  }: CommonOptions & { readonly network?: string | undefined; readonly head?: Hex | undefined },
): Promise<SnapshotSummary & { readonly name: string }> {
  const name = network ?? (await inspectSnapshot(file)).network;
  const target = localNetwork(settings, name);
  const directory = chainDirectory(settings, target);
  const summary = await restoreSnapshot({ file, directory, network: target, head, ...progressOf(name, common) });
  return { name, ...summary };
}

/** Progress lines of a snapshot or restore, and the signal that ends it. */
export function progressOf(name: string, { isQuiet, signal }: CommonOptions) {
  let printedAt = performance.now();
  const onProgress = ({ section, done, total }: SnapshotProgress) => {
    if (isQuiet || performance.now() - printedAt < lineEveryMs) return;
    printedAt = performance.now();
    console.log(`${name}: ${section} ${done}${total > 0 ? ` of ${total}` : ''}`);
  };
  return { onProgress, signal };
}
