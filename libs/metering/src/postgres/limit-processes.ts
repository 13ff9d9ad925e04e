import { randomUUID } from 'node:crypto';
import type { Postgres } from '@cairn/postgres';

/** Time without renewal after which a process counts as ended, in seconds. */
const silentSeconds = 10;
const renewMs = 1000;

/**
 * Counts the processes that share limits. A process registers with its first use of a limit, and renews its row every second. The
 * clock is that of the server, so that clocks of processes need not agree.
 */
export class LimitProcesses {
  readonly #database: Postgres;
  readonly #id = randomUUID();
  #count: number;
  #registered: Promise<void> | undefined;
  #timer: NodeJS.Timeout | undefined;

  constructor(database: Postgres, assumed: number) {
    this.#database = database;
    this.#count = Math.max(1, assumed);
  }

  /** Processes at the last renewal. Without an answer so far, the assumed number. */
  get count(): number {
    return this.#count;
  }

  /** Registers the process. Resolves after the first attempt, which may have failed. */
  use(): Promise<void> {
    if (this.#registered !== undefined) return this.#registered;
    this.#timer = setInterval(() => void this.#renew(), renewMs).unref();
    this.#registered = this.#renew();
    return this.#registered;
  }

  async #renew(): Promise<void> {
    const others = await this.#database
      .write<{ readonly others: number }>({ name: 'renew-limit-process', text: renew, values: [this.#id] })
      .then(
        ({ rows }) => rows[0]?.others,
        // The last count stays valid while the database is away.
        () => undefined,
      );
    if (others !== undefined) this.#count = others + 1;
  }

  async close(): Promise<void> {
    clearInterval(this.#timer);
    if (this.#registered === undefined) return;
    await this.#registered;
    await this.#database
      .write({ text: 'DELETE FROM limit_processes WHERE process = $1', values: [this.#id] })
      // The row expires.
      .catch(() => {});
  }
}

/**
 * Rows of ended processes are removed later than they expire, so that renewals rarely wait for each other. Windows are removed an
 * hour after their end, since clocks of processes differ. A lock re-evaluates the condition, so that a new window stays.
 */
const renew = `
  WITH renewed AS (
      INSERT INTO limit_processes VALUES ($1, clock_timestamp() + interval '${silentSeconds} seconds')
      ON CONFLICT (process) DO UPDATE SET expires_at = EXCLUDED.expires_at),
    ended AS (DELETE FROM limit_processes WHERE process <> $1 AND expires_at < clock_timestamp() - interval '1 minute'),
    over AS (DELETE FROM limit_windows WHERE ends_at < extract(epoch FROM clock_timestamp()) * 1000 - 3600000)
  SELECT count(*) AS others FROM limit_processes WHERE process <> $1 AND expires_at > clock_timestamp()`;
