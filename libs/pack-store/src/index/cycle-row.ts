import { setTimeout as wait } from 'node:timers/promises';
import type { Postgres, Transaction } from '@cairn/postgres';
import { type PackHolds, renewEveryMs } from './pack-holds.ts';

/** State of collection. `number` grows with each collection and each removal of an owner. */
export interface CycleState {
  readonly number: number;
  /** Number with which the last collection began. */
  readonly collection: number;
  /** Blocks touched in this cycle or later stay. */
  readonly keepFrom: number;
}

const select = 'SELECT number, collection, keep_from AS "keepFrom" FROM pack_cycle';

interface OldestHold {
  readonly keepFrom: number;
  /** Whether another process will report soon whether it has released an older hold. */
  readonly isSettling: boolean;
}

const settleEveryMs = 50;
/** Longest wait for reports of other processes. It is longer than the interval of their renewals. */
const settleMsMax = renewEveryMs + 500;

/**
 * The row of cycles. Its lock orders cycles, holds and sweeps:
 *
 * - A hold is published under a shared lock; a cycle begins under the exclusive lock and then reads the holds in a statement of
 *   its own, which has a new snapshot. So either the cycle reads the hold, or the hold was published after the cycle began.
 * - A write stamps its blocks with a number that it reads after its hold was published. The number never falls. So the stamp is
 *   at least `since` of the hold, and at least the number of a cycle that began before.
 * - A sweep removes under a shared lock. So no later cycle begins, and overwrites marks, between its test and its removal.
 */
export class CycleRow {
  readonly #database: Postgres;
  readonly #holds: PackHolds;

  constructor(database: Postgres, holds: PackHolds) {
    this.#database = database;
    this.#holds = holds;
  }

  async read(): Promise<CycleState> {
    const { rows } = await this.#database.read<CycleState>({ name: 'pack-cycle', text: select });
    return present(rows[0]);
  }

  /** Reads the state and keeps it until the transaction ends. */
  static async lockShared(transaction: Transaction): Promise<CycleState> {
    const { rows } = await transaction.run<CycleState>({ name: 'pack-cycle-shared', text: `${select} FOR SHARE` });
    return present(rows[0]);
  }

  /** Begins a collection. Holds of processes that have not renewed them for `silentSeconds` end. */
  async beginCycle(silentSeconds: number): Promise<number> {
    await this.#holds.refresh();
    return await this.#database.transaction(async (transaction) => {
      await transaction.run({ text: 'UPDATE pack_cycle SET number = number + 1, collection = number + 1' });
      const { rows } = await transaction.run<{ number: number }>({ text: keepHeld, values: [silentSeconds] });
      return present(rows[0]).number;
    });
  }

  /**
   * Begins a removal of an owner. Returns the cycle from which its blocks stay. Waits for the next renewal of other processes
   * with a hold that may be released already: their blocks would stay without a reason. Reading the holds later is safe, since
   * a caller looks for names after this call, and later holds begin in `number` or later.
   */
  async beginDiscard(owner: number, silentSeconds: number): Promise<number> {
    await this.#holds.refresh();
    const { number, begunAt } = await this.#database.transaction(async (transaction) => {
      const { rows } = await transaction.run<{ number: number; begunAt: number }>({ text: beginNext });
      return present(rows[0]);
    });
    const values = [owner, silentSeconds, number, begunAt, (2 * renewEveryMs) / 1000];
    for (const began = performance.now(); ; await wait(settleEveryMs)) {
      const { rows } = await this.#database.write<OldestHold>({ name: 'pack-oldest-hold', text: oldestOf, values });
      const { keepFrom, isSettling } = present(rows[0]);
      if (!isSettling || performance.now() - began > settleMsMax) return keepFrom;
    }
  }

  /** Makes all blocks stored so far count as shared: they are in packs below this number. Later packs get a higher one. */
  async disownAll(): Promise<void> {
    await this.#database.write({ text: "UPDATE pack_cycle SET owned_from = nextval('pack_ids')" });
  }
}

/**
 * True for a holder that has ended. A restart of the server counts as a renewal: while the server was away, no process could
 * renew its holds. The lock of the row re-evaluates the condition, so that a concurrent renewal keeps its holder.
 */
const hasEnded = (silent: string) =>
  `greatest(renewed_at, pg_postmaster_start_time()) < clock_timestamp() - make_interval(secs => ${silent}::double precision)`;

const keepHeld = `
  WITH ended AS (DELETE FROM pack_holders WHERE ${hasEnded('$1')} RETURNING holder),
    oldest AS (SELECT min(since) AS since FROM pack_holds WHERE holder NOT IN (SELECT holder FROM ended))
  UPDATE pack_cycle SET keep_from = least(number, oldest.since) FROM oldest RETURNING number`;

/** The time is read after the lock was taken, so that it is later than each renewal with a lower number. */
const beginNext = `
  UPDATE pack_cycle SET number = number + 1
  RETURNING number, extract(epoch FROM clock_timestamp())::double precision AS "begunAt"`;

/**
 * A holder that has missed its renewals has probably ended, so that a wait for it is useless. Its holds still count. The row of
 * one that has ended is deleted, so that its process notices it if it was only paused.
 */
const oldestOf = `
  WITH ended AS (DELETE FROM pack_holders WHERE ${hasEnded('$2')} RETURNING holder)
  SELECT least($3::integer, min(since)) AS "keepFrom",
    coalesce(bool_or(since < $3::integer AND extract(epoch FROM renewed_at) < $4::double precision
      AND renewed_at > clock_timestamp() - make_interval(secs => $5::double precision)), false) AS "isSettling"
  FROM pack_holds JOIN pack_holders USING (holder)
  WHERE owner IN ($1, 0) AND holder NOT IN (SELECT holder FROM ended)`;

function present<T>(row: T | undefined): T {
  if (row === undefined) throw new TypeError('The row of cycles is missing.');
  return row;
}
