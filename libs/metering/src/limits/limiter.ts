import { randomUUID } from 'node:crypto';
import { fallbackPlan, type Plan } from '../plans/plan.ts';
import type { PlanStore } from '../plans/plan-store.ts';
import { AccountLimits } from './account-limits.ts';
import type { LimitStore } from './limit-store.ts';

export interface LimiterOptions {
  readonly store: LimitStore;
  readonly plans: PlanStore;
  /** Name of the service, whose requests under way are counted apart from those of others. */
  readonly service: string;
  /** Milliseconds since 1970. Default: the clock. */
  readonly now?: () => number;
  /** Told what goes wrong beside requests. */
  readonly onError?: (error: unknown) => void;
}

/** Changes of plans count after this long at most, in milliseconds; what is held of limits is looked after as often. */
const tickMs = 250;
/** Places in use are kept every so many ticks. */
const renewTicks = 4;
/** Accounts that ask for nothing for this long are forgotten, in milliseconds. */
const forgetMs = 60_000;

/** The limits of all accounts that this process serves. */
export class Limiter {
  readonly #store: LimitStore;
  readonly #planStore: PlanStore;
  readonly #service: string;
  readonly #now: () => number;
  readonly #onError: (error: unknown) => void;
  readonly #holder = randomUUID();
  readonly #accounts = new Map<string, AccountLimits>();
  /** Of plans that changed: their places are still in use. */
  readonly #former = new Set<AccountLimits>();
  readonly #timer: NodeJS.Timeout;
  #plans: ReadonlyMap<string, Plan> = new Map();
  #text = '';
  #ticks = 0;
  #made = 0;
  #ticking: Promise<void> | undefined;

  private constructor({ store, plans, service, now = Date.now, onError = () => {} }: LimiterOptions) {
    this.#store = store;
    this.#planStore = plans;
    this.#service = service;
    this.#now = now;
    this.#onError = onError;
    this.#timer = setInterval(() => this.#tick(), tickMs).unref();
  }

  /** Reads the plans once. It owns neither store. */
  static async start(options: LimiterOptions): Promise<Limiter> {
    const limiter = new Limiter(options);
    await limiter.#readPlans();
    return limiter;
  }

  /** The limits of an account under a plan of this name; under the fallback where there is none of it. */
  of({ id, plan: name }: { readonly id: string; readonly plan: string }): AccountLimits {
    return this.#limits(id, this.plan(name));
  }

  /** No limits, for what a service asks for itself. */
  unlimited({ id }: { readonly id: string }): AccountLimits {
    return this.#limits(id, unlimitedPlan);
  }

  #limits(id: string, plan: Plan): AccountLimits {
    const known = this.#accounts.get(id);
    if (known?.plan === plan) return known;
    if (known !== undefined) this.#former.add(known);
    const made = new AccountLimits({
      store: this.#store,
      accountId: id,
      plan,
      service: this.#service,
      // Of its own for each: the places of a former plan are counted beside those of the new one.
      holder: `${this.#holder}-${this.#made++}`,
      now: this.#now,
    });
    made.usedAt = this.#now();
    this.#accounts.set(id, made);
    return made;
  }

  plan(name: string): Plan {
    const plan = this.#plans.get(name) ?? this.#plans.get(fallbackPlan);
    // An operator may remove even the fallback: then nothing is allowed rather than everything.
    return plan ?? nothing;
  }

  async #readPlans(): Promise<void> {
    const plans = await this.#planStore.plans();
    const text = JSON.stringify(plans);
    // The same plans stay the same objects: a new one begins new counters in this process.
    if (text === this.#text) return;
    this.#text = text;
    const before = this.#plans;
    this.#plans = new Map(
      plans.map((plan) => {
        const known = before.get(plan.name);
        return [plan.name, known !== undefined && JSON.stringify(known) === JSON.stringify(plan) ? known : plan];
      }),
    );
  }

  #tick(): void {
    if (this.#ticking !== undefined) return;
    this.#ticks++;
    this.#ticking = this.#settle({ isRenewing: this.#ticks % renewTicks === 0 })
      .catch(this.#onError)
      .finally(() => {
        this.#ticking = undefined;
      });
  }

  async #settle({ isRenewing }: { readonly isRenewing: boolean }): Promise<void> {
    await this.#readPlans();
    const now = this.#now();
    const works: Promise<void>[] = [];
    for (const [id, limits] of this.#accounts) {
      works.push(limits.settle());
      if (isRenewing) works.push(limits.renew());
      if (now - limits.usedAt > forgetMs && limits.isIdle) this.#accounts.delete(id);
    }
    for (const limits of this.#former) {
      works.push(limits.settle({ isClosing: true }));
      if (isRenewing) works.push(limits.renew());
      if (limits.isIdle) this.#former.delete(limits);
    }
    await Promise.all(works);
  }

  /** Gives back all that this process holds. */
  async close(): Promise<void> {
    clearInterval(this.#timer);
    await this.#ticking;
    await Promise.all(
      [...this.#accounts.values(), ...this.#former].map(async (limits) => {
        await limits.settle({ isClosing: true });
        await limits.renew({ isClosing: true });
      }),
    );
  }
}

const unlimitedPlan: Plan = { name: 'unlimited', title: 'Unlimited' };
const nothing: Plan = { name: 'none', title: 'None', requestsPerSecond: 0, creditsPerDay: 0, concurrentRequests: 0 };
