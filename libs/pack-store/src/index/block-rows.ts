import type { BlockstoreStats } from '@cairn/blockstore';
import type { CID } from '@cairn/cid';
import type { Postgres, Statement, Transaction } from '@cairn/postgres';
import type { BlockLocation, PackEntry, StoredPack } from '../types.ts';
import { PackDeletedError } from './errors.ts';
import { addToClaimSums, addToSums, anyStripe, secondsAs, secondsParameter, type TestClock } from './tables.ts';

/** Place of a block, as its row names it. */
export interface PlacedBlock {
  readonly multihash: Uint8Array;
  /** Key of the pack. */
  readonly pack: string;
  readonly start: number;
  readonly length: number;
}

/** Row of a block, with the state of the store in the same snapshot. */
export interface BlockRow extends PlacedBlock {
  readonly is_quarantined: boolean;
  /** Whether the block has no links as a node of the codec dag-pb. False where no writer has declared it. */
  readonly is_pb_leaf: boolean;
  readonly owner: number;
  readonly touched_in: number;
  /** Seconds since the last touch. */
  readonly age: number;
  /** Number of the cycle. */
  readonly number: number;
}

/** A touch within this many seconds of the last one in the same cycle is not written. */
const touchEverySeconds = 60;

/** Reports whether a touch by this owner need not be written. An owner that shares the block already changes nothing. */
export function isFresh(row: BlockRow, owner: number): boolean {
  if (row.owner !== owner && row.owner !== 0) return false;
  return row.touched_in === row.number && Math.abs(row.age) < touchEverySeconds;
}

/** A pack entry with its owner; 0 for several owners or none. */
export interface OwnedEntry extends PackEntry {
  readonly owner: number;
  /** See {@link BlockRow.is_pb_leaf}. */
  readonly isPbLeaf: boolean;
}

/** A block that moves to another pack. */
export interface MovedEntry extends PackEntry {
  /** Number of the pack that the block leaves. */
  readonly from: number;
}

/** Rows of blocks and of their packs, with the sums of both. */
export class BlockRows {
  readonly #database: Postgres;
  readonly #now: TestClock;
  readonly #listeners: ((cid: CID) => void)[] = [];

  constructor(database: Postgres, now: TestClock) {
    this.#database = database;
    this.#now = now;
  }

  /** Looks up blocks in one statement. */
  async find(multihashes: readonly Uint8Array[]): Promise<readonly BlockRow[]> {
    const values = [multihashes, secondsParameter(this.#now)];
    return (await this.#database.read<BlockRow>({ name: 'pack-find-blocks', text: find, values })).rows;
  }

  /**
   * Counts blocks as put now by an owner, and remembers which of them are leaves. Returns those that are stored. Rows are locked in
   * order, so that touches do not deadlock.
   */
  async touch(
    multihashes: readonly Uint8Array[],
    owner: number,
    leaves: readonly Uint8Array[] = [],
  ): Promise<Uint8Array[]> {
    const values = [multihashes, secondsParameter(this.#now), owner, leaves];
    const statement = { name: 'pack-touch-blocks', text: touch, values };
    return (await this.#database.write<{ multihash: Uint8Array }>(statement)).rows.map(({ multihash }) => multihash);
  }

  /**
   * Records a pack that is durable, and its blocks that have no row. Known blocks are touched, quarantined ones get these bytes.
   * A repeated call changes nothing, so that a call with an unknown outcome is repeated.
   * @throws PACK_DELETED when the bytes were deleted meanwhile
   */
  async record(pack: StoredPack, entries: readonly OwnedEntry[]): Promise<void> {
    const seconds = secondsParameter(this.#now);
    await this.#database.transaction(async (transaction) => {
      const id = await recordPack(transaction, pack, seconds);
      const values = [id, entries.map(multihashOf), entries.map(startOf), entries.map(lengthOf)];
      const { rows } = await transaction.run<{ multihash: Uint8Array }>({
        name: 'pack-record-blocks',
        text: recordBlocks,
        values: [
          ...values,
          entries.map(({ owner }) => owner),
          seconds,
          anyStripe(),
          entries.map(({ isPbLeaf }) => isPbLeaf),
        ],
      });
      if (rows.length === 0) return;
      const corrupt = new Set(rows.map(({ multihash }) => hex(multihash)));
      const repairs = entries.filter((entry) => corrupt.has(hex(multihashOf(entry))));
      const repairValues = [id, repairs.map(multihashOf), repairs.map(startOf), repairs.map(lengthOf)];
      await transaction.run({ text: repairBlocks, values: [...repairValues, seconds, anyStripe()] });
    });
  }

  /** Records a pack with copies of blocks, and moves the rows that still name the old packs. Returns the number of moved blocks. */
  async move(pack: StoredPack, entries: readonly MovedEntry[]): Promise<number> {
    const seconds = secondsParameter(this.#now);
    return await this.#database.transaction(async (transaction) => {
      const id = await recordPack(transaction, pack, seconds);
      const values = [id, entries.map(multihashOf), entries.map(startOf), entries.map(lengthOf)];
      const { rows } = await transaction.run<{ moved: number }>({
        name: 'pack-move-blocks',
        text: moveBlocks,
        values: [...values, entries.map(({ from }) => from), seconds],
      });
      return rows[0]?.moved ?? 0;
    });
  }

  async delete(multihash: Uint8Array): Promise<void> {
    const seconds = secondsParameter(this.#now);
    await this.#database.transaction(async (transaction) => {
      const text = 'SELECT 1 FROM pack_blocks WHERE multihash = $1 FOR UPDATE';
      const { count } = await transaction.run({ name: 'pack-lock-block', text, values: [multihash] });
      if (count > 0) await removeRows(transaction, [multihash], seconds);
    });
  }

  /** Calls back with each block that this process has quarantined. */
  onQuarantined(listener: (cid: CID) => void): void {
    this.#listeners.push(listener);
  }

  async quarantine(cid: CID): Promise<void> {
    const text = 'UPDATE pack_blocks SET is_quarantined = true WHERE multihash = $1 AND NOT is_quarantined';
    await this.#quarantine(cid, { text, values: [cid.multihash.bytes] });
  }

  async #quarantine(cid: CID, statement: Statement): Promise<void> {
    const { count } = await this.#database.write(statement);
    if (count > 0) for (const listener of this.#listeners) listener(cid);
  }

  /** Quarantines a block if its row still names this place, where its bytes do not match. */
  async quarantineAt({ cid, pack, offset }: BlockLocation): Promise<void> {
    const text = `UPDATE pack_blocks SET is_quarantined = true FROM packs
      WHERE multihash = $1 AND NOT is_quarantined AND pack = packs.id AND packs.key = $2 AND start = $3`;
    await this.#quarantine(cid, { text, values: [cid.multihash.bytes, pack, offset] });
  }

  /** Ends the quarantine of a block if its row still names this place, where its bytes match. */
  async releaseAt({ cid, pack, offset }: BlockLocation): Promise<void> {
    const text = `UPDATE pack_blocks SET is_quarantined = false FROM packs
      WHERE multihash = $1 AND is_quarantined AND pack = packs.id AND packs.key = $2 AND start = $3`;
    await this.#database.write({ text, values: [cid.multihash.bytes, pack, offset] });
  }

  /** Returns places of quarantined blocks in the order of their multihashes, from `start`. */
  async quarantinedPlaces(start: Uint8Array | undefined, limit: number): Promise<readonly PlacedBlock[]> {
    const text = `SELECT multihash, key AS pack, start, length FROM pack_blocks JOIN packs ON packs.id = pack
      WHERE is_quarantined AND multihash >= $1 ORDER BY multihash LIMIT $2`;
    return (await this.#database.read<PlacedBlock>({ text, values: [start ?? Buffer.alloc(0), limit] })).rows;
  }

  async stats(): Promise<BlockstoreStats> {
    const text = `SELECT coalesce(sum(blocks), 0)::bigint AS blocks, coalesce(sum(bytes), 0)::bigint AS bytes FROM pack_sums`;
    const { rows } = await this.#database.read<BlockstoreStats>({ name: 'pack-sums', text });
    return rows[0] ?? { blocks: 0, bytes: 0 };
  }

  /** Returns multihashes in order, from `start`. */
  async page(start: Uint8Array | undefined, limit: number): Promise<Uint8Array[]> {
    const text = 'SELECT multihash FROM pack_blocks WHERE multihash >= $1 ORDER BY multihash LIMIT $2';
    return this.#multihashes(text, [start ?? Buffer.alloc(0), limit]);
  }

  /** Returns quarantined multihashes in order, from `start`. */
  async quarantinePage(start: Uint8Array | undefined, limit: number): Promise<Uint8Array[]> {
    const text =
      'SELECT multihash FROM pack_blocks WHERE is_quarantined AND multihash >= $1 ORDER BY multihash LIMIT $2';
    return this.#multihashes(text, [start ?? Buffer.alloc(0), limit]);
  }

  async #multihashes(text: string, values: (Uint8Array | number)[]): Promise<Uint8Array[]> {
    const { rows } = await this.#database.read<{ multihash: Uint8Array }>({ text, values });
    return rows.map(({ multihash }) => multihash);
  }
}

/** Removes rows that the transaction has locked, with the claims on them, and updates the sums. */
export async function removeRows(
  transaction: Transaction,
  multihashes: readonly Uint8Array[],
  seconds: number | null,
): Promise<void> {
  const values = [multihashes, seconds, anyStripe()];
  await transaction.run({ name: 'pack-remove-blocks', text: remove, values });
}

async function recordPack(transaction: Transaction, pack: StoredPack, seconds: number | null): Promise<number> {
  const blockBytes = pack.entries.reduce((sum, { length }) => sum + length, 0);
  const { rows } = await transaction.run<{ id: number }>({
    name: 'pack-record',
    text: `INSERT INTO packs (key, bytes, block_bytes, blocks, retired_at) VALUES ($1, $2, $3, $4, ${secondsAs('$5')})
      ON CONFLICT (key) DO UPDATE SET bytes = EXCLUDED.bytes WHERE packs.deleting_at IS NULL RETURNING id`,
    values: [pack.key, pack.bytes, blockBytes, pack.entries.length, seconds],
  });
  const id = rows[0]?.id;
  if (id === undefined) throw new PackDeletedError(pack.key);
  return id;
}

const multihashOf = ({ cid }: PackEntry) => cid.multihash.bytes;
const startOf = ({ offset }: PackEntry) => offset;
const lengthOf = ({ length }: PackEntry) => length;
const hex = (bytes: Uint8Array) => Buffer.from(bytes).toString('hex');

const find = `
  SELECT multihash, key AS pack, start, length, is_quarantined, is_pb_leaf, owner, touched_in,
    ${secondsAs('$2')} - touched_at AS age, number
  FROM pack_blocks JOIN packs ON packs.id = pack, pack_cycle WHERE multihash = ANY ($1)`;

/**
 * The row lock re-evaluates SET on the newest row. A sweep that waits for the lock sees the touch; a touch that waits for a sweep
 * finds no row.
 */
const touch = `
  WITH stale AS MATERIALIZED (
    SELECT multihash FROM pack_blocks WHERE multihash = ANY ($1) ORDER BY multihash FOR NO KEY UPDATE)
  UPDATE pack_blocks SET touched_at = ${secondsAs('$2')}, touched_in = greatest(touched_in, number),
    owner = CASE WHEN owner = $3 THEN owner ELSE 0 END,
    is_pb_leaf = is_pb_leaf OR pack_blocks.multihash = ANY ($4::bytea[])
  FROM stale, pack_cycle WHERE pack_blocks.multihash = stale.multihash RETURNING pack_blocks.multihash`;

/** Adds changes of packs by number. A pack without live blocks is retired. Rows are locked in order. */
const countPacks = (seconds: string) => `
    locked AS MATERIALIZED (
      SELECT id FROM packs WHERE id IN (SELECT pack FROM changes) ORDER BY id FOR NO KEY UPDATE),
    counted AS (
      UPDATE packs SET live_blocks = live_blocks + changes.blocks, live_bytes = live_bytes + changes.bytes,
        retired_at = CASE WHEN live_blocks + changes.blocks > 0 THEN NULL ELSE coalesce(retired_at, ${seconds}) END
      FROM locked JOIN changes ON changes.pack = locked.id WHERE packs.id = locked.id)`;

/** A conflict counts as a touch. `xmax` is 0 in a row that this statement inserted. */
const recordBlocks = `
  WITH entry AS (
      SELECT * FROM unnest($2::bytea[], $3::integer[], $4::integer[], $5::bigint[], $8::boolean[])
        AS entry (multihash, start, length, owner, is_pb_leaf)),
    placed AS (
      INSERT INTO pack_blocks (pack, owner, start, length, touched_at, touched_in, multihash, is_pb_leaf)
      SELECT $1, owner, start, length, ${secondsAs('$6')}, number, multihash, is_pb_leaf FROM entry, pack_cycle ORDER BY multihash
      ON CONFLICT (multihash) DO UPDATE SET touched_at = EXCLUDED.touched_at,
        touched_in = greatest(pack_blocks.touched_in, EXCLUDED.touched_in),
        owner = CASE WHEN pack_blocks.owner = EXCLUDED.owner THEN EXCLUDED.owner ELSE 0 END,
        is_pb_leaf = pack_blocks.is_pb_leaf OR EXCLUDED.is_pb_leaf
      RETURNING multihash, length, is_quarantined, xmax = 0 AS is_new),
    changes AS MATERIALIZED (
      SELECT $1::bigint AS pack, count(*)::integer AS blocks, sum(length)::bigint AS bytes
      FROM placed WHERE is_new HAVING count(*) > 0),
    ${countPacks(secondsAs('$6'))},
    summed AS (INSERT INTO pack_sums SELECT $7, blocks, bytes FROM changes ${addToSums})
  SELECT multihash FROM placed WHERE is_quarantined`;

/** Moves an owner to 0 where its block was disowned, since the new pack does not show it. */
const keptOwner = 'CASE WHEN pack_blocks.pack < owned_from THEN 0 ELSE owner END';

/** Gives quarantined blocks, which this transaction has locked, the bytes of pack $1, unless that pack has the corrupt ones. */
const repairBlocks = `
  WITH entry AS (
      SELECT * FROM unnest($2::bytea[], $3::integer[], $4::integer[]) AS entry (multihash, start, length)),
    corrupt AS MATERIALIZED (
      SELECT multihash, pack, pack_blocks.length AS old_length, entry.start, entry.length
      FROM entry JOIN pack_blocks USING (multihash) WHERE is_quarantined AND pack <> $1),
    repaired AS (
      UPDATE pack_blocks SET pack = $1, start = corrupt.start, length = corrupt.length, is_quarantined = false,
        owner = ${keptOwner}
      FROM corrupt, pack_cycle WHERE pack_blocks.multihash = corrupt.multihash),
    changes AS MATERIALIZED (
      SELECT pack, sum(blocks)::integer AS blocks, sum(bytes)::bigint AS bytes FROM (
        SELECT pack, -1 AS blocks, -old_length AS bytes FROM corrupt
        UNION ALL SELECT $1::bigint, 1, length FROM corrupt) AS each GROUP BY pack),
    ${countPacks(secondsAs('$5'))}
  INSERT INTO pack_sums SELECT $6, 0, sum(length - old_length) FROM corrupt HAVING count(*) > 0 ${addToSums}`;

/** The lock re-evaluates the old pack, so that a block that was removed or repaired meanwhile does not move. */
const moveBlocks = `
  WITH entry AS (
      SELECT * FROM unnest($2::bytea[], $3::integer[], $4::integer[], $5::bigint[]) AS entry (multihash, start, length, old_pack)),
    held AS MATERIALIZED (
      SELECT pack_blocks.multihash, pack, entry.start, pack_blocks.length
      FROM pack_blocks JOIN entry ON pack_blocks.multihash = entry.multihash
      WHERE pack = old_pack AND pack_blocks.length = entry.length AND NOT is_quarantined
      ORDER BY pack_blocks.multihash FOR NO KEY UPDATE OF pack_blocks),
    moved AS (
      UPDATE pack_blocks SET pack = $1, start = held.start, owner = ${keptOwner}
      FROM held, pack_cycle WHERE pack_blocks.multihash = held.multihash),
    changes AS MATERIALIZED (
      SELECT pack, sum(blocks)::integer AS blocks, sum(bytes)::bigint AS bytes FROM (
        SELECT pack, -1 AS blocks, -length AS bytes FROM held
        UNION ALL SELECT $1::bigint, 1, length FROM held) AS each GROUP BY pack),
    ${countPacks(secondsAs('$6'))}
  SELECT count(*)::integer AS moved FROM held`;

const remove = `
  WITH removed AS (DELETE FROM pack_blocks WHERE multihash = ANY ($1) RETURNING pack, length),
    changes AS MATERIALIZED (
      SELECT pack, -count(*)::integer AS blocks, -sum(length)::bigint AS bytes FROM removed GROUP BY pack),
    ${countPacks(secondsAs('$2'))},
    ended AS (DELETE FROM pack_claims WHERE multihash = ANY ($1) RETURNING owner, length, is_counted),
    unclaimed AS (
      INSERT INTO pack_claim_sums SELECT owner, $3, -count(*), -sum(length) FROM ended
      WHERE is_counted GROUP BY owner ORDER BY owner ${addToClaimSums})
  INSERT INTO pack_sums SELECT $3, -count(*), -sum(length) FROM removed HAVING count(*) > 0 ${addToSums}`;
