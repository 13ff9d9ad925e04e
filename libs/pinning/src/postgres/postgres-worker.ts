import { randomUUID } from 'node:crypto';
import type { Postgres } from '@cairn/postgres';
import type { CollectionLock } from '../pin-store.ts';
import { leaseExpiry } from './postgres-lease.ts';

/**
 * Process that runs attempts. It is alive while it renews its row, so that one statement renews all its attempts. When the row
 * ends or expires, other processes begin its requests again.
 */
export class PostgresWorker {
  readonly #database: Postgres;
  /** Id of the worker while it is registered. */
  id: string | undefined;

  constructor(database: Postgres) {
    this.#database = database;
  }

  /** Registers this process. Resolves to undefined while it is registered already. */
  async register(): Promise<CollectionLock | undefined> {
    if (this.id !== undefined) return undefined;
    const id = randomUUID();
    this.id = id;
    try {
      await this.#database.write({
        // Rows of ended processes are removed by the next one.
        text: `WITH expired AS (DELETE FROM pin_workers WHERE expires_at < clock_timestamp())
          INSERT INTO pin_workers VALUES ($1, ${leaseExpiry})`,
        values: [id],
      });
    } catch (error) {
      this.id = undefined;
      throw error;
    }
    return {
      renew: async () => {
        const text = `UPDATE pin_workers SET expires_at = ${leaseExpiry} WHERE worker = $1 AND expires_at > clock_timestamp()`;
        const isAlive = (await this.#database.write({ text, values: [id] })).count === 1;
        if (!isAlive && this.id === id) this.id = undefined;
        return isAlive;
      },
      release: async () => {
        if (this.id === id) this.id = undefined;
        await this.#database.write({ text: 'DELETE FROM pin_workers WHERE worker = $1', values: [id] });
      },
    };
  }
}
