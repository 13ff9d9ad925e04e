/**
 * Tables of the block index.
 *
 * `pack_blocks` has one row for each block. Its columns are ordered by alignment, so that a row of a SHA-256 block takes 112
 * bytes. No column that changes in a touch or a mark has an index: with free space in the page (fillfactor) such an update
 * writes no index entry. `pack` is the pack that has the bytes; a quarantined row keeps it, since the bytes may be evidence.
 *
 * Sums are in stripes. A process adds to one stripe, so that processes do not wait for each other's commits. A stripe may be
 * negative; the sum over all stripes is exact.
 *
 * `is_pb_leaf` states that a block has no links as a node of the codec dag-pb, so that walks need not read it.
 *
 * `pack_scrub` has the lease of the scrub, and the last pack that it has verified.
 *
 * Times are seconds since {@link epoch}: 4 bytes reach to the year 2088.
 */
export const steps = [
  `CREATE SEQUENCE pack_ids;
  CREATE TABLE packs (
    id bigint PRIMARY KEY DEFAULT nextval('pack_ids'),
    bytes bigint NOT NULL,
    block_bytes bigint NOT NULL,
    live_bytes bigint NOT NULL DEFAULT 0,
    retired_at bigint,
    deleting_at bigint,
    deleted_at bigint,
    attempted_at bigint,
    blocks integer NOT NULL,
    live_blocks integer NOT NULL DEFAULT 0,
    key text COLLATE "C" NOT NULL UNIQUE,
    CHECK (live_blocks >= 0 AND live_bytes >= 0)
  );
  CREATE INDEX packs_sparse ON packs (id) WHERE live_blocks > 0 AND live_bytes * 2 < block_bytes;
  CREATE INDEX packs_retired ON packs (retired_at) WHERE live_blocks = 0 AND deleted_at IS NULL;
  CREATE INDEX packs_deleted ON packs (deleted_at) WHERE deleted_at IS NOT NULL;
  CREATE TABLE pack_blocks (
    pack bigint NOT NULL,
    owner bigint NOT NULL,
    marked_as bigint NOT NULL DEFAULT 85,
    start integer NOT NULL,
    length integer NOT NULL,
    touched_at integer NOT NULL,
    touched_in integer NOT NULL,
    mark integer NOT NULL DEFAULT 0,
    is_quarantined boolean NOT NULL DEFAULT false,
    multihash bytea PRIMARY KEY
  ) WITH (fillfactor = 80);
  CREATE INDEX pack_blocks_pack ON pack_blocks (pack);
  CREATE INDEX pack_blocks_quarantined ON pack_blocks (multihash) WHERE is_quarantined;
  CREATE TABLE pack_sums (
    stripe smallint PRIMARY KEY,
    blocks bigint NOT NULL,
    bytes bigint NOT NULL
  );
  CREATE TABLE pack_claims (
    owner bigint NOT NULL,
    length integer NOT NULL,
    claimed_at integer NOT NULL,
    claimed_in integer NOT NULL,
    is_counted boolean NOT NULL,
    multihash bytea NOT NULL,
    PRIMARY KEY (owner, multihash)
  );
  CREATE INDEX pack_claims_multihash ON pack_claims (multihash);
  CREATE TABLE pack_claim_sums (
    owner bigint NOT NULL,
    stripe smallint NOT NULL,
    blocks bigint NOT NULL,
    bytes bigint NOT NULL,
    PRIMARY KEY (owner, stripe)
  );
  CREATE TABLE pack_cycle (
    is_only boolean PRIMARY KEY DEFAULT true CHECK (is_only),
    number integer NOT NULL DEFAULT 0,
    collection integer NOT NULL DEFAULT 0,
    keep_from integer NOT NULL DEFAULT 0,
    owned_from bigint NOT NULL DEFAULT 0
  );
  INSERT INTO pack_cycle DEFAULT VALUES;
  CREATE TABLE pack_holders (
    holder text COLLATE "C" PRIMARY KEY,
    renewed_at timestamptz NOT NULL
  );
  CREATE TABLE pack_holds (
    holder text COLLATE "C" NOT NULL REFERENCES pack_holders ON DELETE CASCADE,
    owner bigint NOT NULL,
    since integer NOT NULL,
    PRIMARY KEY (holder, owner)
  )`,
  `CREATE TABLE pack_scrub (
    is_only boolean PRIMARY KEY DEFAULT true CHECK (is_only),
    holder text COLLATE "C" NOT NULL DEFAULT '',
    renewed_at timestamptz NOT NULL DEFAULT '-infinity',
    after_pack bigint NOT NULL DEFAULT 0
  );
  INSERT INTO pack_scrub DEFAULT VALUES`,
  'ALTER TABLE pack_blocks ADD COLUMN is_pb_leaf boolean NOT NULL DEFAULT false',
];

/** Seconds from 1970 to 2020, when the times of the tables begin. */
const epoch = 1_577_836_800;

const stripes = 8;

/** Returns the stripe that a statement adds to. */
export function anyStripe(): number {
  return Math.floor(Math.random() * stripes);
}

/** SQL of the current time: a parameter with the clock of a test, or the clock of the database, which all processes share. */
export function secondsAs(parameter: string): string {
  return `coalesce(${parameter}::integer, floor(extract(epoch FROM clock_timestamp()))::integer - ${epoch})`;
}

/** SQL that adds a number of blocks and bytes to a stripe of the sums of the store. */
export const addToSums = `ON CONFLICT (stripe) DO UPDATE SET
  blocks = pack_sums.blocks + EXCLUDED.blocks, bytes = pack_sums.bytes + EXCLUDED.bytes`;

/** SQL that adds a number of claims and bytes to a stripe of the sums of an owner. */
export const addToClaimSums = `ON CONFLICT (owner, stripe) DO UPDATE SET
  blocks = pack_claim_sums.blocks + EXCLUDED.blocks, bytes = pack_claim_sums.bytes + EXCLUDED.bytes`;

/** Clock of a test: milliseconds since 1970. Without it the clock of the database counts. */
export type TestClock = (() => number) | undefined;

/** Returns the parameter of {@link secondsAs}. */
export function secondsParameter(now: TestClock): number | null {
  return now ? Math.floor(now() / 1000) - epoch : null;
}
