import type { Postgres } from '@cairn/postgres';
import { secondsAs, secondsParameter, type TestClock } from './tables.ts';

/** Row of a pack. */
export interface PackRow {
  readonly id: number;
  readonly key: string;
  readonly bytes: number;
}

/** A block that a pack serves. */
export interface LiveBlock {
  readonly multihash: Uint8Array;
  readonly start: number;
  readonly length: number;
}

/** Time after which a pack that could not be emptied is tried again: another process may rewrite it, or a block is corrupt. */
const attemptEverySeconds = 3600;

/**
 * Rows of packs from their record to the deletion of their bytes: live, retired without a live block, deleting, deleted. A row
 * that is deleting never gets blocks again, so that the deletion needs no further test. The key of a deleted pack is kept for
 * some time: a writer that was paused since its upload then cannot record blocks in it.
 */
export class PackRows {
  readonly #database: Postgres;
  readonly #now: TestClock;

  constructor(database: Postgres, now: TestClock) {
    this.#database = database;
    this.#now = now;
  }

  /** Takes packs of which less than half is live. No other process takes them for an hour. */
  takeSparse(limit: number): Promise<readonly PackRow[]> {
    return this.#write(
      `UPDATE packs SET attempted_at = ${secondsAs('$1')} WHERE id IN (
        SELECT id FROM packs
        WHERE live_blocks > 0 AND live_bytes * 2 < block_bytes
          AND (attempted_at IS NULL OR attempted_at <= ${secondsAs('$1')} - ${attemptEverySeconds})
        ORDER BY id LIMIT $2 FOR NO KEY UPDATE SKIP LOCKED)
      RETURNING id, key, bytes`,
      [limit],
    );
  }

  /** Returns live blocks of a pack in the order of their places, after a place. */
  async liveBlocks(id: number, after: number, limit: number): Promise<readonly LiveBlock[]> {
    const { rows } = await this.#database.read<LiveBlock>({
      name: 'pack-live-blocks',
      text: `SELECT multihash, start, length FROM pack_blocks
        WHERE pack = $1 AND start > $2 AND NOT is_quarantined ORDER BY start LIMIT $3`,
      values: [id, after, limit],
    });
    return rows;
  }

  /** Returns packs with live blocks in the order of their numbers, after a number. */
  async livePage(after: number, limit: number): Promise<readonly PackRow[]> {
    const text = 'SELECT id, key, bytes FROM packs WHERE id > $1 AND live_blocks > 0 ORDER BY id LIMIT $2';
    return (await this.#database.read<PackRow>({ text, values: [after, limit] })).rows;
  }

  /** Returns keys of the newest and the oldest packs with live blocks other than this one, up to `limit` of each. */
  async keysBeside(key: string, limit: number): Promise<readonly string[]> {
    const side = (order: string) =>
      `(SELECT key FROM packs WHERE live_blocks > 0 AND key <> $1 ORDER BY id ${order} LIMIT $2)`;
    const text = `${side('DESC')} UNION ${side('ASC')}`;
    const { rows } = await this.#database.read<{ key: string }>({ text, values: [key, limit] });
    return rows.map((row) => row.key);
  }

  /**
   * Takes packs that have had no live block for a time, for the deletion of their bytes; also those whose deletion was
   * interrupted. The lock re-evaluates the sums, so that a pack that gets a block meanwhile stays.
   */
  takeRetired(graceSeconds: number, limit: number): Promise<readonly PackRow[]> {
    return this.#write(
      `UPDATE packs SET deleting_at = coalesce(deleting_at, ${secondsAs('$1')}) WHERE id IN (
        SELECT id FROM packs
        WHERE live_blocks = 0 AND deleted_at IS NULL AND retired_at <= ${secondsAs('$1')} - $2::double precision
          AND NOT EXISTS (SELECT FROM pack_blocks WHERE pack = packs.id)
        ORDER BY retired_at LIMIT $3 FOR NO KEY UPDATE SKIP LOCKED)
      RETURNING id, key, bytes`,
      [graceSeconds, limit],
    );
  }

  /** Records that the bytes of packs are deleted. */
  async markDeleted(ids: readonly number[]): Promise<void> {
    await this.#write(`UPDATE packs SET deleted_at = ${secondsAs('$1')} WHERE id = ANY ($2::bigint[]) RETURNING id`, [
      ids,
    ]);
  }

  /** Forgets packs whose bytes were deleted before a time. Returns their number. */
  async forgetDeleted(graceSeconds: number, limit: number): Promise<number> {
    const rows = await this.#write(
      `DELETE FROM packs WHERE id IN (
        SELECT id FROM packs WHERE deleted_at <= ${secondsAs('$1')} - $2::double precision
        ORDER BY deleted_at LIMIT $3 FOR UPDATE SKIP LOCKED)
      RETURNING id, key, bytes`,
      [graceSeconds, limit],
    );
    return rows.length;
  }

  /** Returns those of these keys that have a row whose bytes are not deleted. */
  async known(keys: readonly string[]): Promise<ReadonlySet<string>> {
    const text = 'SELECT key FROM packs WHERE key = ANY ($1) AND deleted_at IS NULL';
    const { rows } = await this.#database.read<{ key: string }>({ text, values: [keys] });
    return new Set(rows.map(({ key }) => key));
  }

  /**
   * Records orphans as packs that are deleting, before their bytes are deleted. A pack that was recorded meanwhile is not
   * returned and stays.
   */
  doom(orphans: readonly { readonly key: string; readonly bytes: number }[]): Promise<readonly PackRow[]> {
    return this.#write(
      `INSERT INTO packs (key, bytes, block_bytes, blocks, retired_at, deleting_at)
      SELECT key, bytes, 0, 0, ${secondsAs('$1')}, ${secondsAs('$1')}
      FROM unnest($2::text[], $3::bigint[]) AS orphan (key, bytes) ORDER BY key
      ON CONFLICT (key) DO UPDATE SET deleted_at = NULL WHERE packs.deleted_at IS NOT NULL
      RETURNING id, key, bytes`,
      [orphans.map(({ key }) => key), orphans.map(({ bytes }) => bytes)],
    );
  }

  /** Returns the highest number of a pack. */
  async lastId(): Promise<number> {
    const { rows } = await this.#database.read<{ id: number }>({
      text: 'SELECT coalesce(max(id), 0)::bigint AS id FROM packs',
    });
    return rows[0]?.id ?? 0;
  }

  /** Returns keys of packs with live blocks in a range of keys, up to a number. */
  async liveKeys(range: {
    readonly after: string;
    readonly last: string | undefined;
    readonly idMax: number;
    readonly limit: number;
  }) {
    const { rows } = await this.#database.read<{ key: string }>({
      text: `SELECT key FROM packs WHERE key > $1 AND ($2::text IS NULL OR key <= $2) AND id <= $3 AND live_blocks > 0
        ORDER BY key LIMIT $4`,
      values: [range.after, range.last ?? null, range.idMax, range.limit],
    });
    return rows.map(({ key }) => key);
  }

  async #write(text: string, values: readonly (number | readonly (string | number)[])[]): Promise<readonly PackRow[]> {
    const all = [secondsParameter(this.#now), ...values];
    return (await this.#database.write<PackRow>({ text, values: all })).rows;
  }
}
