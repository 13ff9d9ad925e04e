import { randomUUID } from 'node:crypto';
import { fallbackPlan, type Plan } from '../plans/plan.ts';
import type { PlanStore } from '../plans/plan-store.ts';
import { AccountLimits } from './account-limits.ts';
import type { LimitStore } from './limit-store.ts';

export interface LimiterOptions {
  readonly store: LimitStore;
  readonly plans: PlanStore;
  /** Name of the service. Concurrent requests are counted for each service separately. */
  readonly service: string;
  /** Milliseconds since 1970. Default: the clock. */
  readonly now?: () => number;
  /** Called with errors of background work: reading plans, settling lots, renewing permits. */
  readonly onError?: (error: unknown) => void;
  /** Messages to the other processes of the service. Default: it has none. */
  readonly channel?: LimitChannel | undefined;
}

/** Messages between the processes of a service. */
export interface LimitChannel {
  /** Processes of the service. */
  readonly count: number;
  /** Resolves when the other processes have handled the value, or when they do not answer. */
  inform(topic: string, accountId: unknown): Promise<void>;
  subscribe(topic: string, listener: (accountId: unknown) => unknown): void;
}

const recallTopic = 'permits wanted';

/** Interval in milliseconds at which plans are read and lots are settled: a changed plan takes effect within it. */
const tickMs = 250;
/** Permits in use are renewed every this many ticks. */
const renewTicks = 4;
/** Limits of an account are dropped from memory after this time without a request, in milliseconds. */
const forgetMs = 60_000;

/** Limits of all accounts that this process serves. */
export class Limiter {
  readonly #store: LimitStore;
  readonly #planStore: PlanStore;
  readonly #service: string;
  readonly #now: () => number;
  readonly #onError: (error: unknown) => void;
  readonly #channel: LimitChannel | undefined;
  readonly #holder = randomUUID();
  readonly #accounts = new Map<string, AccountLimits>();
  /** Limits of a plan that has changed while permits of it are in use. */
  readonly #former = new Set<AccountLimits>();
  readonly #timer: NodeJS.Timeout;
  #plans: ReadonlyMap<string, Plan> = new Map();
  #text = '';
  #ticks = 0;
  #made = 0;
  #ticking: Promise<void> | undefined;
  #reading: Promise<void> | undefined;

  private constructor({ store, plans, service, now = Date.now, onError = () => {}, channel }: LimiterOptions) {
    this.#store = store;
    this.#planStore = plans;
    this.#service = service;
    this.#now = now;
    this.#onError = onError;
    this.#channel = channel !== undefined && channel.count > 1 ? channel : undefined;
    this.#channel?.subscribe(recallTopic, (id) =>
      this.#accounts
        .get(id as string)
        ?.returnUnused()
        .catch(this.#onError),
    );
    this.#timer = setInterval(() => this.#tick(), tickMs).unref();
  }

  /** Reads the plans and starts the timer. The caller closes both stores. */
  static async start(options: LimiterOptions): Promise<Limiter> {
    const limiter = new Limiter(options);
    await limiter.#readPlans();
    return limiter;
  }

  /** Returns the limits of an account under its plan, or under the fallback plan if its plan does not exist. */
  of({ id, plan: name }: { readonly id: string; readonly plan: string }): AccountLimits {
    return this.#limits(id, this.plan(name));
  }

  /** Returns an object without limits, for requests that a service pays for. */
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
      // A holder name of its own: permits under a former plan are counted in addition to those under the new one.
      holder: `${this.#holder}-${this.#made++}`,
      now: this.#now,
      recall: this.#channel && (() => this.#recall(id)),
    });
    made.usedAt = this.#now();
    this.#accounts.set(id, made);
    return made;
  }

  /** Asks the other processes of the service for permits that they hold and do not use. */
  async #recall(id: string): Promise<void> {
    await this.#channel?.inform(recallTopic, id);
  }

  /** Returns the plan of this name, or the fallback plan. */
  plan(name: string): Plan {
    const plan = this.#plans.get(name) ?? this.#plans.get(fallbackPlan);
    // An operator can remove even the fallback plan: then everything is refused, not allowed.
    return plan ?? nothingAllowed;
  }

  async #readPlans(): Promise<void> {
    const plans = await this.#planStore.plans();
    const text = JSON.stringify(plans);
    // Unchanged plans stay the same objects, since a new object starts new lots in this process.
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
    // Reads of its own: lots are settled and permits renewed while the plans cannot be read. The last plans stay valid.
    this.#reading ??= this.#readPlans()
      .catch(this.#onError)
      .finally(() => {
        this.#reading = undefined;
      });
    if (this.#ticking !== undefined) return;
    this.#ticks++;
    this.#ticking = this.#settle({ isRenewing: this.#ticks % renewTicks === 0 })
      .catch(this.#onError)
      .finally(() => {
        this.#ticking = undefined;
      });
  }

  async #settle({ isRenewing }: { readonly isRenewing: boolean }): Promise<void> {
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

  /** Stops the timer and returns all tokens and permits of this process. */
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
const nothingAllowed: Plan = {
  name: 'none',
  title: 'None',
  requestsPerSecond: 0,
  creditsPerDay: 0,
  concurrentRequests: 0,
};
