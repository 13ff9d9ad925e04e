import type { Postgres } from '@cairn/postgres';
import { type BillingCustomer, type BillingStore, eventsKeptMs } from '../billing-store.ts';

const steps = [
  `CREATE TABLE billing_customers (
    account_id text COLLATE "C" PRIMARY KEY,
    customer_id text COLLATE "C" NOT NULL,
    record json NOT NULL
  );
  CREATE INDEX billing_customers_by_id ON billing_customers (customer_id);
  CREATE TABLE billing_events (
    id text COLLATE "C" PRIMARY KEY,
    processed_at bigint NOT NULL
  );
  CREATE INDEX billing_events_by_time ON billing_events (processed_at)`,
];

class PostgresBillingStore implements BillingStore {
  readonly #database: Postgres;

  constructor(database: Postgres) {
    this.#database = database;
  }

  customer(accountId: string): Promise<BillingCustomer | undefined> {
    return this.#find('SELECT record FROM billing_customers WHERE account_id = $1', accountId);
  }

  byCustomerId(customerId: string): Promise<BillingCustomer | undefined> {
    return this.#find('SELECT record FROM billing_customers WHERE customer_id = $1', customerId);
  }

  update(
    accountId: string,
    change: (before: BillingCustomer | undefined) => BillingCustomer,
  ): Promise<BillingCustomer> {
    return this.#database.transaction(
      async (transaction) => {
        const { rows } = await transaction.run<{ record: BillingCustomer }>({
          text: 'SELECT record FROM billing_customers WHERE account_id = $1',
          values: [accountId],
        });
        const after = change(rows[0]?.record);
        await transaction.run({
          text: `INSERT INTO billing_customers VALUES ($1, $2, $3) ON CONFLICT (account_id)
                 DO UPDATE SET customer_id = EXCLUDED.customer_id, record = EXCLUDED.record`,
          values: [accountId, after.customerId, JSON.stringify(after)],
        });
        return after;
      },
      // The row may not exist yet, so that there is none to lock.
      { isSerializable: true },
    );
  }

  async isProcessed(eventId: string): Promise<boolean> {
    const { rows } = await this.#database.read({ text: 'SELECT FROM billing_events WHERE id = $1', values: [eventId] });
    return rows.length > 0;
  }

  async markProcessed(eventId: string, at: number): Promise<void> {
    await this.#database.write({
      text: `WITH old AS (DELETE FROM billing_events WHERE processed_at < $3 AND id <> $1)
             INSERT INTO billing_events VALUES ($1, $2)
             ON CONFLICT (id) DO UPDATE SET processed_at = EXCLUDED.processed_at`,
      values: [eventId, at, at - eventsKeptMs],
    });
  }

  async #find(text: string, id: string): Promise<BillingCustomer | undefined> {
    const { rows } = await this.#database.read<{ record: BillingCustomer }>({ text, values: [id] });
    return rows[0]?.record;
  }

  /** The database belongs to its opener. */
  async close(): Promise<void> {}
}

/** Opens the billing records in a database, and creates their tables. @throws the errors of `Postgres.migrate` */
export async function openPostgresBillingStore(database: Postgres): Promise<BillingStore> {
  await database.migrate({ component: 'billing', steps });
  return new PostgresBillingStore(database);
}
