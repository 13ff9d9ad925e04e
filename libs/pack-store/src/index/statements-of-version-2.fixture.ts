/**
 * Statements of the version 2 of the tables that later versions have changed, by name. Processes of that version run while another
 * one upgrades the tables.
 */
export const statementsOfVersion2: Readonly<Record<string, string>> = {
  'pack-find-blocks': `
  SELECT multihash, key AS pack, start, length, is_quarantined, owner, touched_in,
    coalesce($2::integer, floor(extract(epoch FROM clock_timestamp()))::integer - 1577836800) - touched_at AS age, number
  FROM pack_blocks JOIN packs ON packs.id = pack, pack_cycle WHERE multihash = ANY ($1)`,
  'pack-touch-blocks': `
  WITH stale AS MATERIALIZED (
    SELECT multihash FROM pack_blocks WHERE multihash = ANY ($1) ORDER BY multihash FOR NO KEY UPDATE)
  UPDATE pack_blocks SET touched_at = coalesce($2::integer, floor(extract(epoch FROM clock_timestamp()))::integer - 1577836800), touched_in = greatest(touched_in, number),
    owner = CASE WHEN owner = $3 THEN owner ELSE 0 END
  FROM stale, pack_cycle WHERE pack_blocks.multihash = stale.multihash RETURNING pack_blocks.multihash`,
  'pack-record-blocks': `
  WITH entry AS (
      SELECT * FROM unnest($2::bytea[], $3::integer[], $4::integer[], $5::bigint[]) AS entry (multihash, start, length, owner)),
    placed AS (
      INSERT INTO pack_blocks (pack, owner, start, length, touched_at, touched_in, multihash)
      SELECT $1, owner, start, length, coalesce($6::integer, floor(extract(epoch FROM clock_timestamp()))::integer - 1577836800), number, multihash FROM entry, pack_cycle ORDER BY multihash
      ON CONFLICT (multihash) DO UPDATE SET touched_at = EXCLUDED.touched_at,
        touched_in = greatest(pack_blocks.touched_in, EXCLUDED.touched_in),
        owner = CASE WHEN pack_blocks.owner = EXCLUDED.owner THEN EXCLUDED.owner ELSE 0 END
      RETURNING multihash, length, is_quarantined, xmax = 0 AS is_new),
    changes AS MATERIALIZED (
      SELECT $1::bigint AS pack, count(*)::integer AS blocks, sum(length)::bigint AS bytes
      FROM placed WHERE is_new HAVING count(*) > 0),
    
    locked AS MATERIALIZED (
      SELECT id FROM packs WHERE id IN (SELECT pack FROM changes) ORDER BY id FOR NO KEY UPDATE),
    counted AS (
      UPDATE packs SET live_blocks = live_blocks + changes.blocks, live_bytes = live_bytes + changes.bytes,
        retired_at = CASE WHEN live_blocks + changes.blocks > 0 THEN NULL ELSE coalesce(retired_at, coalesce($6::integer, floor(extract(epoch FROM clock_timestamp()))::integer - 1577836800)) END
      FROM locked JOIN changes ON changes.pack = locked.id WHERE packs.id = locked.id),
    summed AS (INSERT INTO pack_sums SELECT $7, blocks, bytes FROM changes ON CONFLICT (stripe) DO UPDATE SET
  blocks = pack_sums.blocks + EXCLUDED.blocks, bytes = pack_sums.bytes + EXCLUDED.bytes)
  SELECT multihash FROM placed WHERE is_quarantined`,
};
