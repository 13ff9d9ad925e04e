/**
 * Tables of names. Names are multihashes. Labels and sealed keys are bytes, since their texts may
 * contain a NUL. Times are milliseconds since 1970.
 *
 * Transactions lock rows in one order, so that they do not wait for each other in a circle: records, then counts by scope.
 */
export const nameSteps = [
  `CREATE TABLE name_keys (
    account_id text COLLATE "C" NOT NULL,
    label bytea NOT NULL,
    name bytea NOT NULL,
    type text COLLATE "C" NOT NULL,
    sealed bytea NOT NULL,
    PRIMARY KEY (account_id, label)
  );
  CREATE TABLE name_sequences (
    account_id text COLLATE "C" NOT NULL,
    name bytea NOT NULL,
    sequence numeric(20, 0) NOT NULL,
    PRIMARY KEY (account_id, name)
  );
  CREATE TABLE name_records (
    name bytea PRIMARY KEY,
    record bytea NOT NULL,
    account_id text COLLATE "C" NOT NULL,
    lifetime_ms double precision,
    has_v1 boolean,
    announced_at bigint,
    due_at bigint,
    expires_at bigint NOT NULL
  );
  CREATE INDEX name_records_by_end ON name_records (expires_at);
  CREATE INDEX name_records_due ON name_records (due_at) WHERE due_at IS NOT NULL;
  CREATE INDEX name_records_announced ON name_records (announced_at)
    WHERE announced_at IS NOT NULL AND lifetime_ms IS NOT NULL;
  CREATE TABLE name_counts (
    scope text COLLATE "C" PRIMARY KEY,
    records bigint NOT NULL,
    bytes bigint NOT NULL
  )`,
];

/** Shards of the count of all records, so that puts of different names rarely wait for one row. */
const totalShards = 16;

/** Returns the scope that counts the records of an account. */
export function accountScope(account: string): string {
  return `account ${account}`;
}

/** Returns the scope that counts a name among all records. The last byte of a multihash is evenly distributed. */
export function totalScope(multihash: Uint8Array): string {
  return `total ${((multihash.at(-1) ?? 0) % totalShards).toString(16)}`;
}

/** Condition on the scopes of {@link totalScope}. */
export const isTotal = "scope >= 'total ' AND scope < 'total!'";
