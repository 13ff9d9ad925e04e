import { type Postgres, PostgresError } from '@cairn/postgres';
import type { AccountFeed, AccountFeedListener, FeedKind } from '../account-feed.ts';
import { accountsChannel } from './account-tables.ts';

/** Interval of polls, in milliseconds. */
const pollMs = 250;
/** Time of a poll after which changes count as unreadable, in milliseconds. */
const slowMs = 1000;
/** Most changes that a poll reports one by one. */
const changesMax = 1000;

/**
 * Rows changed by transactions that the poll before did not see: those with a number from $1 on. $1 is the smallest number of a
 * transaction that was running at the poll before. Rows that this poll has seen can be among them. The start time of the server
 * tells a promoted standby, which may lack changes, from the server of the poll before.
 */
const poll = `SELECT pg_snapshot_xmin(pg_current_snapshot())::text AS next, pg_postmaster_start_time()::text AS server,
  (SELECT coalesce(json_agg(ARRAY[kind, id]), '[]') FROM (
    SELECT 'account' AS kind, id FROM accounts WHERE $1 <> '' AND changed >= nullif($1, '')::xid8
    UNION ALL
    SELECT 'key', id FROM api_keys WHERE $1 <> '' AND changed >= nullif($1, '')::xid8
    LIMIT ${changesMax + 1}) AS rows) AS changes`;

interface PollRow {
  readonly next: string;
  readonly server: string;
  readonly changes: readonly (readonly [FeedKind, string])[];
}

/** Place of a poll: the number from which the next one reads, and the server that answered. */
type Place = Pick<PollRow, 'next' | 'server'>;

/** Changes in PostgreSQL: by notices, which arrive within milliseconds and can be lost, and by polls, which find every change. */
class PostgresAccountFeed implements AccountFeed {
  readonly #database: Postgres;
  #place: Place | undefined;
  #stop: (() => Promise<void>) | undefined;
  #timer: NodeJS.Timeout | undefined;
  #isClosed = false;

  constructor(database: Postgres) {
    this.#database = database;
  }

  async start(listener: AccountFeedListener): Promise<void> {
    void this.#listen(listener);
    await new Promise<void>((resolve) => void this.#poll(listener, resolve));
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    clearTimeout(this.#timer);
    await this.#stop?.();
  }

  async #listen({ onChange }: AccountFeedListener): Promise<void> {
    const stop = await this.#database.listen({
      channel: accountsChannel,
      onNotice: (payload) => {
        const [kind, id = ''] = payload.split(' ');
        if (kind === 'account' || kind === 'key') onChange(kind, id);
      },
      // Polls find the changes whose notices were lost.
      onConnected: () => {},
    });
    if (this.#isClosed) await stop();
    else this.#stop = stop;
  }

  /** Polls, and again after a pause. One poll runs at a time, so that a server that hangs holds one connection. */
  async #poll(listener: AccountFeedListener, onFirst: () => void): Promise<void> {
    const startedAt = performance.now();
    const slow = setTimeout(() => {
      listener.onFailure(slowFailure());
      onFirst();
    }, slowMs);
    try {
      const { rows } = await this.#database.read<PollRow>({
        name: 'account-changes',
        text: poll,
        values: [this.#place?.next ?? ''],
      });
      const [row] = rows;
      if (row !== undefined && !this.#isClosed) this.#report(listener, row, startedAt);
    } catch (error) {
      if (!this.#isClosed) listener.onFailure(error);
    } finally {
      clearTimeout(slow);
      onFirst();
      if (!this.#isClosed) this.#timer = setTimeout(() => void this.#poll(listener, () => {}), pollMs).unref();
    }
  }

  #report({ onChange, onGap, onConfirmed }: AccountFeedListener, row: PollRow, startedAt: number): void {
    const before = this.#place;
    this.#place = { next: row.next, server: row.server };
    const isSame = before !== undefined && before.server === row.server && BigInt(row.next) >= BigInt(before.next);
    if (!isSame || row.changes.length > changesMax) onGap();
    else for (const [kind, id] of row.changes) onChange(kind, id);
    onConfirmed(startedAt);
  }
}

function slowFailure(): PostgresError {
  return new PostgresError('POSTGRES_UNAVAILABLE', 'The database does not answer.', {
    hint: 'Retry in a moment.',
    details: { retryAfterSeconds: 1 },
  });
}

/**
 * Reports changes of accounts and keys. `openPostgresAccountStore` creates the tables first.
 * @param database with few connections and a time limit of a second for statements; the feed closes it
 */
export function postgresAccountFeed(database: Postgres): AccountFeed {
  const feed = new PostgresAccountFeed(database);
  return {
    start: (listener) => feed.start(listener),
    close: async () => {
      await feed.close();
      await database.close();
    },
  };
}
