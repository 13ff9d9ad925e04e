import type { Transaction } from '@cairn/postgres';

/**
 * Tables of pin requests and webhooks. Records are JSON texts; columns beside them are those by which rows are found. Ids are in
 * the order of their times. `worker` is the process that runs an attempt; it is alive until its row in `pin_workers` expires.
 * Every change of an account locks its row in `pin_request_accounts` first, so that changes of an account are in one order.
 */
export const requestSteps: readonly string[] = [
  `CREATE TABLE pin_request_accounts (
    account text COLLATE "C" PRIMARY KEY,
    requests bigint NOT NULL DEFAULT 0,
    open bigint NOT NULL DEFAULT 0,
    latest bigint NOT NULL DEFAULT 0,
    events bigint NOT NULL DEFAULT 0
  ) WITH (fillfactor = 50);
  CREATE TABLE pin_requests (
    account text COLLATE "C" NOT NULL,
    id text COLLATE "C" NOT NULL,
    due_at bigint,
    worker text COLLATE "C",
    record text NOT NULL,
    PRIMARY KEY (account, id)
  );
  CREATE INDEX pin_requests_open ON pin_requests (account, due_at, id) WHERE due_at IS NOT NULL;
  CREATE TABLE pin_request_cids (
    account text COLLATE "C" NOT NULL,
    cid bytea NOT NULL,
    id text COLLATE "C" NOT NULL,
    PRIMARY KEY (account, cid, id)
  );
  CREATE TABLE pin_request_releases (
    account text COLLATE "C" NOT NULL,
    cid bytea NOT NULL,
    PRIMARY KEY (account, cid)
  );
  CREATE TABLE pin_workers (
    worker text COLLATE "C" PRIMARY KEY,
    expires_at timestamptz NOT NULL
  );
  CREATE TABLE pin_webhooks (
    account text COLLATE "C" PRIMARY KEY,
    record text NOT NULL
  );
  CREATE TABLE pin_webhook_events (
    account text COLLATE "C" NOT NULL,
    id text COLLATE "C" NOT NULL,
    due_at bigint NOT NULL,
    record text NOT NULL,
    PRIMARY KEY (account, id)
  );
  CREATE INDEX pin_webhook_events_due ON pin_webhook_events (account, due_at, id)`,
];

/** Counts of an account, in its locked row. */
export interface AccountRow {
  readonly requests: number;
  readonly open: number;
  /** Time of the newest request, in microseconds since 1970. */
  readonly latest: number;
  readonly events: number;
}

/** Locks the row of an account until the transaction ends, and creates it if it is missing. */
export async function lockAccount(transaction: Transaction, account: string): Promise<AccountRow> {
  const { rows } = await transaction.run<AccountRow>({
    name: 'lock-request-account',
    text: `INSERT INTO pin_request_accounts (account) VALUES ($1)
      ON CONFLICT (account) DO UPDATE SET account = EXCLUDED.account RETURNING requests, open, latest, events`,
    values: [account],
  });
  return rows[0] ?? { requests: 0, open: 0, latest: 0, events: 0 };
}
