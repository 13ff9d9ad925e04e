import type { PackRow } from '../index/pack-rows.ts';
import { type MaintenanceOptions, type MaintenanceParts, packPrefix } from './maintenance-parts.ts';

const packsPerRound = 256;
/** Time after which the row of a deleted pack is forgotten. No writer is paused for longer and still has its connection. */
const forgetAfterSeconds = 30 * 24 * 3600;

export interface DeleteOptions extends MaintenanceOptions {
  /** Time without live blocks after which bytes are deleted. At least `graceSecondsMin`. */
  readonly graceSeconds: number;
}

export interface OrphanOptions extends MaintenanceOptions {
  /** Age of an object without a row after which it is an orphan. At least `graceSecondsMin`. */
  readonly graceSeconds: number;
  /** Milliseconds since 1970. Default: the clock. */
  readonly now?: () => number;
}

export interface OrphanReport {
  /** Objects in the inventory. */
  readonly objects: number;
  /** Orphans that were deleted. */
  readonly deleted: number;
  /** Keys of packs with live blocks that the inventory does not have: lost blocks. At most 100. */
  readonly missing: readonly string[];
}

/** Deletes the bytes of packs without live blocks, after their grace period. An interrupted deletion is repeated. */
export async function deleteRetiredPacks(
  parts: Pick<MaintenanceParts, 'index' | 'objects'>,
  { graceSeconds, signal }: DeleteOptions,
): Promise<{ readonly packs: number; readonly bytes: number }> {
  const { packs } = parts.index;
  const report = { packs: 0, bytes: 0 };
  for (;;) {
    signal?.throwIfAborted();
    const retired = await packs.takeRetired(graceSeconds, packsPerRound);
    await deletePacks(parts, retired, signal);
    report.packs += retired.length;
    report.bytes += retired.reduce((sum, { bytes }) => sum + bytes, 0);
    if (retired.length < packsPerRound) break;
  }
  while ((await packs.forgetDeleted(forgetAfterSeconds, packsPerRound)) === packsPerRound) signal?.throwIfAborted();
  return report;
}

/**
 * Compares the inventory of the bucket with the index, and deletes packs without a row that are past their grace period: their
 * writer ended between upload and record. The row that forbids their record is written before the bytes are deleted.
 */
export async function deleteOrphanPacks(
  parts: Pick<MaintenanceParts, 'index' | 'objects'>,
  { graceSeconds, signal, now = Date.now }: OrphanOptions,
): Promise<OrphanReport> {
  const { index, objects } = parts;
  const report = { objects: 0, deleted: 0 };
  // Packs that are recorded later may be absent in the inventory.
  const missing = new MissingPacks(index.packs, await index.packs.lastId());
  const before = now() - graceSeconds * 1000;
  let page: { key: string; bytes: number; modifiedAt: Date }[] = [];
  const flush = async () => {
    const keys = page.map(({ key }) => key);
    const known = await index.packs.known(keys);
    await missing.compare(keys);
    const orphans = page.filter(({ key, modifiedAt }) => !known.has(key) && modifiedAt.getTime() < before);
    const doomed = orphans.length === 0 ? [] : await index.packs.doom(orphans);
    await deletePacks(parts, doomed, signal);
    report.objects += page.length;
    report.deleted += doomed.length;
    page = [];
  };
  for await (const object of objects.list(packPrefix, signal ? { signal } : {}))
    if (page.push(object) === packsPerRound) await flush();
  if (page.length > 0) await flush();
  return { ...report, missing: await missing.finish() };
}

async function deletePacks(
  { index, objects }: Pick<MaintenanceParts, 'index' | 'objects'>,
  packs: readonly PackRow[],
  signal: AbortSignal | undefined,
): Promise<void> {
  if (packs.length === 0) return;
  const keys = packs.map(({ key }) => key);
  await objects.deleteMany(keys, signal ? { signal } : {});
  await index.packs.markDeleted(packs.map(({ id }) => id));
}

const missingMax = 100;
const keysPerRead = 1024;

/** Finds packs with live blocks between the keys of an ordered inventory. */
class MissingPacks {
  readonly #packs: MaintenanceParts['index']['packs'];
  readonly #idMax: number;
  readonly #missing: string[] = [];
  #after = '';

  constructor(packs: MaintenanceParts['index']['packs'], idMax: number) {
    this.#packs = packs;
    this.#idMax = idMax;
  }

  /** Compares the next keys of the inventory with the rows up to its last one. */
  async compare(keys: readonly string[]): Promise<void> {
    const present = new Set(keys);
    await this.#collect(keys.at(-1), present);
  }

  async finish(): Promise<readonly string[]> {
    await this.#collect(undefined, new Set());
    return this.#missing;
  }

  async #collect(last: string | undefined, present: ReadonlySet<string>): Promise<void> {
    for (;;) {
      const keys = await this.#packs.liveKeys({ after: this.#after, last, idMax: this.#idMax, limit: keysPerRead });
      for (const key of keys) if (!present.has(key) && this.#missing.length < missingMax) this.#missing.push(key);
      const end = keys.length === keysPerRead ? keys.at(-1) : last;
      this.#after = end ?? this.#after;
      if (keys.length < keysPerRead || this.#missing.length === missingMax) return;
    }
  }
}
