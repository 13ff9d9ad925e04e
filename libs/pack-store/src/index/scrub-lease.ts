import { randomUUID } from 'node:crypto';
import type { Postgres } from '@cairn/postgres';

/** Lease of the scrub, which all processes share, with the place of an unfinished scrub. */
export class ScrubLease {
  readonly #database: Postgres;
  readonly #silentSeconds: number;
  readonly #holder = randomUUID();

  /** @param silentSeconds time after its last renewal in which a lease of another process is valid */
  constructor(database: Postgres, silentSeconds: number) {
    this.#database = database;
    this.#silentSeconds = silentSeconds;
  }

  /** Takes the lease. Returns the last pack that was verified; `undefined` while another process has the lease. */
  async take(): Promise<number | undefined> {
    const { rows } = await this.#database.write<{ after: number }>({
      text: `UPDATE pack_scrub SET holder = $1, renewed_at = clock_timestamp()
        WHERE holder = $1 OR renewed_at < clock_timestamp() - make_interval(secs => $2::double precision)
        RETURNING after_pack AS after`,
      values: [this.#holder, this.#silentSeconds],
    });
    return rows[0]?.after;
  }

  /** Extends the lease and stores the place. Resolves to false when the lease was lost. */
  async renew(after: number): Promise<boolean> {
    const { count } = await this.#database.write({
      text: 'UPDATE pack_scrub SET renewed_at = clock_timestamp(), after_pack = $2 WHERE holder = $1',
      values: [this.#holder, after],
    });
    return count > 0;
  }
}
