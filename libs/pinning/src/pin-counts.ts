import { type Database, type Entry, StoreError } from '@cairn/embedded-store';
import { decode, type RootRecord } from './pin-records.ts';
import type { Usage } from './pin-store.ts';
import { TimeSlicer } from './time-slicer.ts';

interface PinTables {
  readonly pins: Database;
  readonly usage: Database;
  readonly roots: Database;
}

interface CompareOptions {
  readonly directory: string;
  readonly signal?: AbortSignal | undefined;
}

/**
 * Compares the number of pins of each account with its usage, and the number of all pins with the counts of roots. One
 * transaction writes all three into separate trees, so that damage of one tree shows as a difference.
 * @throws STORE_CORRUPT
 */
export async function comparePinCounts(tables: PinTables, { directory, signal }: CompareOptions): Promise<void> {
  const slicer = new TimeSlicer();
  // The first entry of each is read in this turn of the event loop, so that all three have one snapshot.
  const [pins, usages, roots] = [tables.pins, tables.usage, tables.roots].map(begin) as [Walk, Walk, Walk];
  try {
    let total = 0;
    const next = async (walk: Walk) => {
      signal?.throwIfAborted();
      await slicer.step();
      return walk.next();
    };
    let pin = pins.next();
    for (let usage = usages.next(); usage; usage = await next(usages)) {
      const expected = decode<Usage>(usage.value).pins;
      let found = 0;
      for (; pin && isOf(pin, usage); pin = await next(pins)) found++;
      const account = Buffer.from(usage.key).toString().replace('\0', '');
      if (found !== expected)
        throw disagreement(directory, `account ${account} has ${found} pins, its usage counts ${expected}`);
      total += found;
    }
    if (pin) throw disagreement(directory, `account ${accountOf(pin)} has pins, but no usage`);
    let counted = 0;
    for (let root = roots.next(); root; root = await next(roots)) counted += decode<RootRecord>(root.value).count;
    if (counted !== total) throw disagreement(directory, `accounts have ${total} pins, the roots count ${counted}`);
  } finally {
    for (const walk of [pins, usages, roots]) walk.end();
  }
}

/** Like {@link comparePinCounts}, for the pins of one account. @throws STORE_CORRUPT */
export async function comparePinCount(
  { pins, usage, prefix }: Pick<PinTables, 'pins' | 'usage'> & { readonly prefix: Uint8Array },
  { directory, signal }: CompareOptions,
): Promise<void> {
  const slicer = new TimeSlicer();
  const entries = pins.range({ prefix });
  // Read in one turn of the event loop, so that both have one snapshot.
  let entry = entries.next();
  const counted = usage.get(prefix);
  let found = 0;
  try {
    for (; !entry.done; entry = entries.next()) {
      found++;
      signal?.throwIfAborted();
      await slicer.step();
    }
  } finally {
    entries.return(undefined);
  }
  const expected = counted === undefined ? 0 : decode<Usage>(counted).pins;
  const account = Buffer.from(prefix).toString().replace('\0', '');
  if (found !== expected)
    throw disagreement(directory, `account ${account} has ${found} pins, its usage counts ${expected}`);
}

function disagreement(directory: string, problem: string): StoreError {
  return new StoreError('STORE_CORRUPT', `The store in ${directory} is damaged: ${problem}.`, {
    hint: 'Run `cairn verify`, then follow the guide "Repair a store". No garbage is collected until then.',
    details: { directory },
  });
}

interface Walk {
  readonly next: () => Entry | undefined;
  readonly end: () => void;
}

function begin(database: Database): Walk {
  const entries = database.range();
  let first: Entry | undefined | null = entries.next().value ?? undefined;
  return {
    next: () => {
      if (first === null) return entries.next().value ?? undefined;
      const entry = first;
      first = null;
      return entry;
    },
    end: () => void entries.return(undefined),
  };
}

/** Reports whether a pin belongs to the account of a usage. The key of a usage is the prefix of its pins. */
function isOf(pin: Entry, usage: Entry): boolean {
  return Buffer.compare(pin.key.subarray(0, usage.key.length), usage.key) === 0;
}

function accountOf({ key }: Entry): string {
  return Buffer.from(key.subarray(0, key.indexOf(0))).toString();
}
