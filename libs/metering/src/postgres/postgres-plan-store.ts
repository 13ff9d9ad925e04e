import type { Postgres, Transaction } from '@cairn/postgres';
import { defaultPlans, defaultPlansByName, type Plan } from '../plans/plan.ts';
import { planNotFound } from '../plans/plan-not-found.ts';
import type { PlanStore } from '../plans/plan-store.ts';

const steps = [
  `CREATE TABLE plans (
    name text COLLATE "C" PRIMARY KEY,
    plan json NOT NULL
  )`,
];

class PostgresPlanStore implements PlanStore {
  readonly #database: Postgres;

  constructor(database: Postgres) {
    this.#database = database;
  }

  async plans(): Promise<readonly Plan[]> {
    const { rows } = await this.#database.read<{ plan: Plan }>({
      name: 'plans',
      text: 'SELECT plan FROM plans ORDER BY name',
    });
    return rows.length > 0 ? rows.map(({ plan }) => plan) : defaultPlansByName();
  }

  async put(plan: Plan): Promise<void> {
    await this.#change(async (transaction) => {
      await transaction.run({
        text: 'INSERT INTO plans VALUES ($1, $2) ON CONFLICT (name) DO UPDATE SET plan = EXCLUDED.plan',
        values: [plan.name, JSON.stringify(plan)],
      });
    });
  }

  async remove(name: string): Promise<void> {
    await this.#change(async (transaction) => {
      const { count } = await transaction.run({ text: 'DELETE FROM plans WHERE name = $1', values: [name] });
      if (count === 0) throw planNotFound(name);
    });
  }

  /** Stores the default plans before the first change, so that they can be changed and removed as well. */
  #change(change: (transaction: Transaction) => Promise<void>): Promise<void> {
    return this.#database.transaction(async (transaction) => {
      // Two first changes must not both see an empty table.
      await transaction.run({ text: 'LOCK TABLE plans IN SHARE ROW EXCLUSIVE MODE' });
      await transaction.run({
        text: `INSERT INTO plans SELECT * FROM unnest($1::text[], $2::json[])
               WHERE NOT EXISTS (SELECT FROM plans)`,
        values: [defaultPlans.map(({ name }) => name), defaultPlans.map((plan) => JSON.stringify(plan))],
      });
      await change(transaction);
    });
  }

  /** The database belongs to its opener. */
  async close(): Promise<void> {}
}

/** Opens the plans in a database, and creates their table. @throws the errors of `Postgres.migrate` */
export async function openPostgresPlanStore(database: Postgres): Promise<PlanStore> {
  await database.migrate({ component: 'plans', steps });
  return new PostgresPlanStore(database);
}
