import { join } from 'node:path';
import { accountsFormat } from '@cairn/auth';
import { blocksFormat } from '@cairn/blockstore';
import { Environment, type StoreFormat } from '@cairn/embedded-store';
import { errorText, isCairnError } from '@cairn/errors';
import { namesFormat } from '@cairn/ipns';
import { filesFormat } from '@cairn/mfs';
import { openLmdbPinStore, pinsFormat } from '@cairn/pinning';
import { hasStore } from './has-store.ts';

/** Stores of a home whose records carry checksums, by directory. */
export const storeFormats: Readonly<Record<string, StoreFormat>> = {
  accounts: accountsFormat,
  blocks: blocksFormat,
  files: filesFormat,
  names: namesFormat,
  pins: pinsFormat,
};

/** Maximum number of listed problems per store; further ones are counted. */
const listedMax = 100;

export interface StoreInspection {
  /** Number of records with a verified checksum. */
  readonly records: number;
  /** Stores that must not be read further. */
  readonly damaged: ReadonlySet<string>;
}

/** Verifies pages and records of all stores of a home, and counts of pins. Continues after damage. */
export async function inspectStores(
  home: string,
  { problems, onStep }: { readonly problems: string[]; readonly onStep: (step: string) => void },
): Promise<StoreInspection> {
  const damaged = new Set<string>();
  let records = 0;
  for (const [store, format] of Object.entries(storeFormats)) {
    const directory = join(home, store);
    if (!hasStore(directory)) continue;
    onStep(`records of ${store}`);
    const found = await inspectStore(directory, format);
    if (found.problems.length === 0 && store === 'pins') found.problems.push(...(await comparePins(directory)));
    if (found.problems.length > 0) damaged.add(store);
    for (const problem of found.problems.slice(0, listedMax)) problems.push(`${store}: ${problem}`);
    if (found.problems.length > listedMax)
      problems.push(`${store}: ${found.problems.length - listedMax} more problems`);
    records += found.records;
  }
  return { records, damaged };
}

async function inspectStore(directory: string, format: StoreFormat) {
  const problems: string[] = [];
  let records = 0;
  try {
    const environment = await Environment.open({ directory, format });
    try {
      await environment.verifyPages();
      for await (const problem of environment.inspect()) {
        records++;
        if (problem) problems.push(problem.message);
      }
    } finally {
      await environment.close();
    }
  } catch (error) {
    problems.push(damageText(error));
  }
  return { problems, records };
}

/** Pins, usage and roots each count the same pins in their own tree. */
async function comparePins(directory: string): Promise<string[]> {
  try {
    const pins = await openLmdbPinStore({ directory });
    try {
      await pins.assertConsistent();
    } finally {
      await pins.close();
    }
    return [];
  } catch (error) {
    return [damageText(error)];
  }
}

function damageText(error: unknown): string {
  if (!isCairnError(error)) throw error;
  return error.code === 'STORE_CORRUPT' ? error.message : errorText(error);
}
