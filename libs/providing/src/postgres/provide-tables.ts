/**
 * Tables of provider records. Keys are positions in the keyspace (SHA-256 of the multihash); times are milliseconds since
 * 1970. The counts have one row per sector: a count over all records would read each of them.
 */
export const provideSteps = [
  `CREATE TABLE provide_records (
    key bytea PRIMARY KEY,
    multihash bytea NOT NULL,
    announced_at bigint,
    due_at bigint NOT NULL,
    failures smallint NOT NULL
  );
  CREATE INDEX provide_records_due ON provide_records ((get_byte(key, 0) >> 4), due_at, key);
  CREATE INDEX provide_records_announced ON provide_records (announced_at) WHERE announced_at IS NOT NULL;
  CREATE TABLE provide_cids (
    key bytea NOT NULL,
    cid bytea NOT NULL,
    PRIMARY KEY (key, cid)
  );
  CREATE TABLE provide_counts (
    sector smallint PRIMARY KEY,
    records bigint NOT NULL,
    waiting bigint NOT NULL
  )`,
];

/** Adds counts of changed rows to the counts of their sectors. Sectors are sorted, so that writers lock them in one order. */
function addCounts(records: string, waiting: string, changed: string): string {
  return `INSERT INTO provide_counts AS stored
    SELECT get_byte(key, 0) >> 4, ${records}, ${waiting} FROM ${changed} GROUP BY 1 ORDER BY 1
    ON CONFLICT (sector) DO UPDATE
    SET records = stored.records + EXCLUDED.records, waiting = stored.waiting + EXCLUDED.waiting`;
}

/**
 * Adds CIDs, and the records that are missing. The update that changes nothing locks a record that exists, until the CID
 * beside it is committed: a concurrent removal waits, and then finds the CID.
 */
export const addStatement = `
  WITH given AS (SELECT * FROM unnest($1::bytea[], $2::bytea[], $3::bytea[]) AS given (key, multihash, cid)),
  added AS (
    INSERT INTO provide_records (key, multihash, due_at, failures)
    SELECT DISTINCT ON (key) key, multihash, $4::bigint, 0 FROM given ORDER BY key
    ON CONFLICT (key) DO UPDATE SET failures = provide_records.failures WHERE false
    RETURNING key),
  named AS (
    INSERT INTO provide_cids SELECT DISTINCT key, cid FROM given ORDER BY key, cid ON CONFLICT DO NOTHING),
  counted AS (${addCounts('count(*)', 'count(*)', 'added')})
  SELECT count(*) AS added FROM added`;

/** Locks records of which CIDs are removed. CIDs of concurrent additions are visible after it. */
export const lockStatement = `
  SELECT FROM provide_records WHERE key = ANY($1::bytea[]) ORDER BY key FOR UPDATE`;

/** Removes CIDs, and the records without other CIDs. Needs the locks of {@link lockStatement}. */
export const removeStatement = `
  WITH gone AS (
    DELETE FROM provide_cids USING (SELECT DISTINCT * FROM unnest($1::bytea[], $2::bytea[]) AS given (key, cid)) AS given
    WHERE provide_cids.key = given.key AND provide_cids.cid = given.cid
    RETURNING provide_cids.key, provide_cids.cid),
  removed AS (
    DELETE FROM provide_records WHERE key IN (SELECT key FROM gone) AND NOT EXISTS (
      SELECT FROM provide_cids AS other WHERE other.key = provide_records.key
      AND NOT EXISTS (SELECT FROM gone WHERE gone.key = other.key AND gone.cid = other.cid))
    RETURNING key, announced_at),
  counted AS (${addCounts('-count(*)', '-count(*) FILTER (WHERE announced_at IS NULL)', 'removed')})
  SELECT count(*) AS removed FROM removed`;

/** Changes records, which are locked in the order of their keys. An absent announcement keeps the earlier one. */
export const settleStatement = `
  WITH given AS (
    SELECT * FROM unnest($1::bytea[], $2::bigint[], $3::smallint[], $4::bigint[]) AS given (key, due_at, failures, announced_at)),
  locked AS (
    SELECT key, announced_at FROM provide_records WHERE key IN (SELECT key FROM given) ORDER BY key FOR UPDATE),
  settled AS (
    UPDATE provide_records AS stored SET due_at = given.due_at, failures = given.failures,
      announced_at = coalesce(given.announced_at, stored.announced_at)
    FROM given JOIN locked USING (key) WHERE stored.key = given.key
    RETURNING stored.key, locked.announced_at IS NULL AND stored.announced_at IS NOT NULL AS is_first)
  ${addCounts('0', '-count(*) FILTER (WHERE is_first)', 'settled')}`;
