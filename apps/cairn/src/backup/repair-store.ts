import { link, mkdir, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { type RebuiltIndex, rebuildIndex } from '@cairn/blockstore';
import { type SalvageOptions, salvageEnvironment } from '@cairn/embedded-store';
import { CairnError, errorText, isCairnError } from '@cairn/errors';
import { openLmdbPinStore } from '@cairn/pinning';
import { flush } from '../flush.ts';
import { hasStore } from './has-store.ts';
import { storeFormats } from './inspect-stores.ts';
import { removedOnSignal } from './removed-on-signal.ts';
import { requireUnused } from './require-unused.ts';

export interface RepairReport {
  readonly store: string;
  readonly records: number;
  /** Names of damaged records, and unreadable pages. */
  readonly lost: readonly string[];
  /** New directory of the damaged store. */
  readonly kept: string;
  /** Progress of the rebuilt block index; only for `blocks`. */
  readonly index?: RebuiltIndex;
}

/** Counts that are computed from pins. */
const computedFromPins = ['usage', 'roots'];

/**
 * Replaces a store by a copy of its intact records, and recomputes derived data: usage and roots from pins, the index
 * of blocks from their bytes. The damaged store stays beside it. No process may have the home open. A failed or stopped repair
 * leaves the damaged store only.
 * @throws STORE_UNKNOWN, STORE_IN_USE, STORE_CORRUPT, STORE_FULL
 */
export async function repairStore(home: string, store: string): Promise<RepairReport> {
  const format = storeFormats[store];
  const from = join(home, store);
  if (format === undefined || !hasStore(from)) {
    throw new CairnError(
      'STORE_UNKNOWN',
      `There is no store ${JSON.stringify(store)} in ${home} that can be repaired.`,
      {
        hint: `Name one of ${Object.keys(storeFormats).join(', ')}. A chain is repaired by importing it again.`,
      },
    );
  }
  requireUnused(from);
  const to = `${from}.repaired`;
  await rm(to, { recursive: true, force: true });
  const kept = `${from}.damaged-${new Date().toISOString().slice(0, 19).replaceAll(':', '')}`;
  try {
    const copied = await removedOnSignal(to, () => copyIntact({ from, to, store, format }));
    await replaceDataFile(from, { to, kept });
    return { store, kept, ...copied };
  } catch (error) {
    throw await withoutCopy(to, error);
  }
}

/** Copies the intact records into a new store, and recomputes what is derived from them. */
async function copyIntact({
  from,
  to,
  store,
  format,
}: Omit<SalvageOptions, 'shouldCopy'> & { readonly store: string }): Promise<Omit<RepairReport, 'store' | 'kept'>> {
  const shouldCopy = (database: string, key: Uint8Array) =>
    store !== 'pins' ||
    !(computedFromPins.includes(database) || (database === 'control' && Buffer.from(key).toString() === 'counted'));
  const { records, lost } = await salvageEnvironment({ from, to, format, shouldCopy });
  // The flag of finished counts is missing in the copy, so opening counts usage and roots again.
  if (store === 'pins') await (await openLmdbPinStore({ directory: to })).close();
  const index = store === 'blocks' ? await rebuildIndex({ directory: to }) : undefined;
  return { records, lost, ...(index && { index }) };
}

/** Removes an incomplete copy, which may be as long as the store. Returns the error with the outcome of the removal. */
async function withoutCopy(to: string, cause: unknown): Promise<Error> {
  const outcome = await rm(to, { recursive: true, force: true }).then(
    () => `The incomplete copy ${to} was removed.`,
    (error: unknown) => `The incomplete copy ${to} cannot be removed (${errorText(error)}).`,
  );
  if (!isCairnError(cause)) return new Error(`${errorText(cause)} ${outcome}`, { cause });
  const { code, message, hint, details } = cause;
  return new CairnError(code, `${message} ${outcome}`, { ...(hint !== undefined && { hint }), details, cause });
}

/** Replaces the data file in one step. With two renames of directories, a kill between them left a home without the store. */
async function replaceDataFile(from: string, { to, kept }: { readonly to: string; readonly kept: string }) {
  const name = 'data.mdb';
  await mkdir(kept, { mode: 0o700 });
  try {
    await link(join(from, name), join(kept, name));
    await flush(kept);
    await flush(join(to, name));
    await rename(join(to, name), join(from, name));
  } catch (error) {
    await rm(kept, { recursive: true, force: true });
    throw error;
  }
  await flush(from);
  await rm(to, { recursive: true });
}
