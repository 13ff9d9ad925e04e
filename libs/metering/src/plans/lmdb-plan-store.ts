import { type Database, Environment } from '@cairn/embedded-store';
import { meteringFormat } from '../metering-format.ts';
import { defaultPlans, defaultPlansByName, type Plan } from './plan.ts';
import { planNotFound } from './plan-not-found.ts';
import type { PlanStore } from './plan-store.ts';

class LmdbPlanStore implements PlanStore {
  readonly #environment: Environment;
  readonly #plans: Database;

  constructor(environment: Environment) {
    this.#environment = environment;
    this.#plans = environment.database('plans');
  }

  async plans(): Promise<readonly Plan[]> {
    this.#environment.refresh();
    const plans = [...this.#plans.range()].map(({ value }) => JSON.parse(Buffer.from(value).toString()) as Plan);
    return plans.length > 0 ? plans : defaultPlansByName();
  }

  async put(plan: Plan): Promise<void> {
    await this.#environment.transaction(() => {
      this.#seed();
      this.#plans.put(Buffer.from(plan.name), encode(plan));
    });
  }

  async remove(name: string): Promise<void> {
    await this.#environment.transaction(() => {
      this.#seed();
      if (!this.#plans.remove(Buffer.from(name))) {
        throw planNotFound(name);
      }
    });
  }

  /** Stores the default plans before the first change, so that they can be changed and removed as well. */
  #seed(): void {
    if (this.#plans.count() > 0) return;
    for (const plan of defaultPlans) this.#plans.put(Buffer.from(plan.name), encode(plan));
  }

  close(): Promise<void> {
    return this.#environment.close();
  }
}

function encode(plan: Plan): Buffer {
  return Buffer.from(JSON.stringify(plan));
}

/** Opens the plans in the LMDB environment of the accounts. @throws STORE_UNAVAILABLE, STORE_CORRUPT, STORE_VERSION_UNSUPPORTED */
export async function openLmdbPlanStore({ directory }: { readonly directory: string }): Promise<PlanStore> {
  return new LmdbPlanStore(await Environment.open({ directory, format: meteringFormat }));
}
