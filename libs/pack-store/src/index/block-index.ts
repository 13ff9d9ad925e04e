import type { Postgres } from '@cairn/postgres';
import type { OnPack, PackEntry } from '../types.ts';
import { BlockRows, type OwnedEntry } from './block-rows.ts';
import { ClaimRows } from './claim-rows.ts';
import { CollectionRows } from './collection-rows.ts';
import { CycleRow } from './cycle-row.ts';
import { blockKey } from './multihash.ts';
import { PackHolds } from './pack-holds.ts';
import { PackRows } from './pack-rows.ts';
import { ScrubLease } from './scrub-lease.ts';
import { steps, type TestClock } from './tables.ts';

/** A process that has not renewed its holds for this time has ended. */
const silentSecondsDefault = 60;

export interface BlockIndexOptions {
  readonly database: Postgres;
  /** Milliseconds since 1970. Default: the clock of the database. */
  readonly now?: TestClock;
  readonly silentSeconds?: number | undefined;
}

/** The index of blocks in PostgreSQL. Several processes share it. */
export class BlockIndex {
  readonly blocks: BlockRows;
  readonly claims: ClaimRows;
  readonly collection: CollectionRows;
  readonly cycle: CycleRow;
  readonly holds: PackHolds;
  readonly packs: PackRows;
  readonly scrubLease: ScrubLease;
  readonly #silentSeconds: number;

  private constructor({ database, now, silentSeconds = silentSecondsDefault }: BlockIndexOptions) {
    this.blocks = new BlockRows(database, now);
    this.claims = new ClaimRows(database, now);
    this.collection = new CollectionRows(database, this.claims, now);
    this.holds = new PackHolds(database, silentSeconds * 1000);
    this.packs = new PackRows(database, now);
    this.scrubLease = new ScrubLease(database, silentSeconds);
    this.cycle = new CycleRow(database, this.holds);
    this.#silentSeconds = silentSeconds;
  }

  /** Opens the index and creates its tables. @throws the errors of `Postgres.migrate` */
  static async open(options: BlockIndexOptions): Promise<BlockIndex> {
    await options.database.migrate({ component: 'packs', steps });
    return new BlockIndex(options);
  }

  beginCycle(): Promise<number> {
    return this.cycle.beginCycle(this.#silentSeconds);
  }

  beginDiscard(owner: number): Promise<number> {
    return this.cycle.beginDiscard(owner, this.#silentSeconds);
  }

  /** Records a pack of the writer. */
  readonly onPack: OnPack = async (pack, tags, leaves) => {
    await this.blocks.record(pack, ownedEntries(pack.entries, tags, leaves));
  };

  /** The database belongs to its opener. */
  close(): Promise<void> {
    return this.holds.close();
  }
}

/** Returns each block once, with its owner if it has one only, and as a leaf if one of its entries is one. */
export function ownedEntries(
  entries: readonly PackEntry[],
  tags: readonly (readonly number[])[],
  leaves: ReadonlySet<number>,
): readonly OwnedEntry[] {
  const owned = new Map<string, OwnedEntry>();
  for (const [index, entry] of entries.entries()) {
    const before = owned.get(blockKey(entry.cid));
    const owners = new Set([...(tags[index] ?? []), ...(before ? [before.owner] : [])]);
    const [owner = 0] = owners;
    const isPbLeaf = before?.isPbLeaf === true || leaves.has(index);
    owned.set(blockKey(entry.cid), { ...(before ?? entry), owner: owners.size === 1 ? owner : 0, isPbLeaf });
  }
  return [...owned.values()];
}
