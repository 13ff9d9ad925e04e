import { type Database, Environment } from '@cairn/embedded-store';
import { MeteringError } from '../errors.ts';
import { meteringFormat } from '../metering-format.ts';
import { defaultPlans, type Plan } from './plan.ts';
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
    return plans.length > 0 ? plans : byName(defaultPlans);
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
        throw new MeteringError('PLAN_NOT_FOUND', `There is no plan ${JSON.stringify(name.slice(0, 64))}.`, {
          hint: 'List the plans with `cairn plan list`.',
        });
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

function byName(plans: readonly Plan[]): Plan[] {
  return [...plans].sort((one, other) => (one.name < other.name ? -1 : 1));
}

/** Opens the plans in the LMDB environment of the accounts. @throws STORE_UNAVAILABLE, STORE_CORRUPT, STORE_VERSION_UNSUPPORTED */
export async function openLmdbPlanStore({ directory }: { readonly directory: string }): Promise<PlanStore> {
  return new LmdbPlanStore(await Environment.open({ directory, format: meteringFormat }));
}
