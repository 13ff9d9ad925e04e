import { randomUUID } from 'node:crypto';
import { type Hold, HoldLostError } from '@cairn/blockstore';
import type { Postgres } from '@cairn/postgres';

interface OpenHold {
  readonly owner: number;
  /** Cycle in which the hold began, at the latest; undefined before it is published. */
  since: number | undefined;
  /** Row of `pack_holders` that has published it; undefined before. */
  holder: string | undefined;
}

/** Milliseconds between two renewals, which repeat what a failed statement did not publish. */
export const renewEveryMs = 2000;
/**
 * Milliseconds after a release in which a further hold of the same owner takes no statement. Until then the hold counts for
 * other processes.
 */
const dropAfterMs = 200;

/**
 * The holds of this process, published as one row for each owner with an open hold. Concurrent holds share a statement, and a
 * hold of an owner that is published already takes none.
 *
 * Invariant: the published `since` of an owner is at most that of each of its open holds. A statement publishes the state of
 * the moment when it is sent. Later holds begin in the last number that any statement has returned, or later; numbers never
 * fall, so this is at least each published `since`.
 *
 * A cycle deletes the row of a silent holder. No statement creates a deleted row again, since holds cannot be continued over
 * the gap: later holds have a row of another name. So a hold is in force as long as the row of its holder exists.
 */
export class PackHolds {
  readonly #database: Postgres;
  readonly #silentMs: number;
  #holder = randomUUID();
  /** True after a statement has created the row of the holder. */
  #exists = false;
  readonly #open = new Set<OpenHold>();
  /** Published owners with their `since`. An owner that the running statement drops is not among them. */
  #published = new Map<number, number>();
  #known = 0;
  #renewedAt = Number.NEGATIVE_INFINITY;
  #running: Promise<void> | undefined;
  #next: Promise<void> | undefined;
  #timer: NodeJS.Timeout | undefined;
  #dropTimer: NodeJS.Timeout | undefined;

  /** @param silentMs time after which other processes regard a silent holder as ended */
  constructor(database: Postgres, silentMs: number) {
    this.#database = database;
    this.#silentMs = silentMs;
  }

  async take(owner: number): Promise<Hold> {
    const isPublished = this.#published.has(owner) && performance.now() - this.#renewedAt < this.#silentMs / 2;
    const hold: OpenHold = isPublished
      ? { owner, since: this.#known, holder: this.#holder }
      : { owner, since: undefined, holder: undefined };
    this.#open.add(hold);
    try {
      if (!isPublished) await this.#publish();
    } catch (error) {
      this.#open.delete(hold);
      throw error;
    }
    this.#timer ??= setInterval(() => this.#renew(), renewEveryMs).unref();
    const { holder = '' } = hold;
    return { fence: holder, confirm: () => this.#confirm(holder), release: async () => this.#release(hold) };
  }

  async #confirm(holder: string): Promise<void> {
    const { rows } = await this.#database.read({
      name: 'pack-confirm-hold',
      text: 'SELECT FROM pack_holders WHERE holder = $1',
      values: [holder],
    });
    if (rows.length === 0) throw new HoldLostError();
  }

  #release(hold: OpenHold): void {
    if (!this.#open.delete(hold)) return;
    this.#dropTimer ??= setTimeout(() => {
      this.#dropTimer = undefined;
      // A failure is repeated by the next renewal.
      this.refresh().catch(() => {});
    }, dropAfterMs).unref();
  }

  /** Publishes released holds, so that this process does not delay its own collections and removals. */
  async refresh(): Promise<void> {
    await this.#running?.catch(() => {});
    const state = this.#state();
    const isCurrent =
      state.size === this.#published.size &&
      [...state].every(([owner, since]) => since !== undefined && this.#published.get(owner) === since);
    if (!isCurrent) await this.#publish();
  }

  async close(): Promise<void> {
    clearInterval(this.#timer);
    clearTimeout(this.#dropTimer);
    await this.#next?.catch(() => {});
    await this.#running?.catch(() => {});
    this.#open.clear();
    if (this.#renewedAt < 0) return;
    // Without an answer the rows end after the time of silence.
    await this.#database
      .write({ text: 'DELETE FROM pack_holders WHERE holder = $1', values: [this.#holder] })
      .catch(() => {});
  }

  #renew(): void {
    if (this.#open.size + this.#published.size === 0) return;
    // A failed renewal is repeated by the next one.
    this.#publish().catch(() => {});
  }

  /** Sends the state once the running statement has ended. Callers that wait meanwhile share one statement. */
  #publish(): Promise<void> {
    this.#next ??= (this.#running ?? Promise.resolve())
      .catch(() => {})
      .then(() => {
        this.#next = undefined;
        this.#running = this.#send();
        return this.#running;
      });
    return this.#next;
  }

  /** Returns the oldest cycle of each owner; undefined where no hold is published yet. */
  #state(): Map<number, number | undefined> {
    const state = new Map<number, number | undefined>();
    for (const { owner, since } of this.#open) {
      const other = state.get(owner);
      state.set(owner, since === undefined || other === undefined ? (since ?? other) : Math.min(since, other));
    }
    return state;
  }

  async #send(): Promise<void> {
    const state = this.#state();
    const sent = [...this.#open];
    // The rows of these owners exist with or without success of the statement. The others are known after it.
    this.#published = new Map(
      [...state].flatMap(([owner, since]) => {
        const before = this.#published.get(owner);
        return before === undefined ? [] : [[owner, since ?? before] as const];
      }),
    );
    const began = performance.now();
    const { rows } = await this.#database.write<{ number: number; exists: boolean }>({
      name: 'pack-publish-holds',
      text: publish,
      values: [this.#holder, [...state.keys()], [...state.values()].map((since) => since ?? null), !this.#exists],
    });
    if (rows[0]?.exists === false) return await this.#replaceHolder();
    const number = rows[0]?.number ?? this.#known;
    this.#exists = true;
    for (const hold of sent) {
      hold.since ??= number;
      hold.holder ??= this.#holder;
    }
    this.#known = Math.max(this.#known, number);
    this.#published = new Map([...state].map(([owner, since]) => [owner, since ?? number]));
    this.#renewedAt = began;
  }

  /** Continues under another name after a cycle has deleted the row, which ended the published holds. */
  #replaceHolder(): Promise<void> {
    for (const hold of this.#open) if (hold.holder === this.#holder) this.#open.delete(hold);
    this.#holder = randomUUID();
    this.#exists = false;
    this.#published = new Map();
    return this.#send();
  }
}

/** The lock of the row of cycles orders this statement and the begin of a cycle; see `CycleRow`. */
const publish = `
  WITH cycle AS MATERIALIZED (SELECT number FROM pack_cycle FOR SHARE),
    created AS (
      INSERT INTO pack_holders SELECT $1, clock_timestamp() FROM cycle WHERE $4
      ON CONFLICT (holder) DO UPDATE SET renewed_at = EXCLUDED.renewed_at RETURNING holder),
    renewed AS (
      UPDATE pack_holders SET renewed_at = clock_timestamp() FROM cycle WHERE holder = $1 AND NOT $4 RETURNING holder),
    present AS MATERIALIZED (SELECT holder FROM created UNION ALL SELECT holder FROM renewed),
    dropped AS (DELETE FROM pack_holds WHERE holder = $1 AND owner <> ALL ($2::bigint[])),
    held AS (
      INSERT INTO pack_holds
      SELECT holder, owner, coalesce(since, number) FROM cycle, present, unnest($2::bigint[], $3::integer[]) AS open (owner, since)
      ORDER BY owner
      ON CONFLICT (holder, owner) DO UPDATE SET since = EXCLUDED.since WHERE pack_holds.since <> EXCLUDED.since)
  SELECT number, EXISTS (SELECT FROM present) AS exists FROM cycle`;
