// Every request of both services passes here; tools/bench/metering.mjs measures its cost.
import { type LimitName, limitReached, type MeteringError } from '../errors.ts';
import type { Plan } from '../plans/plan.ts';
import { ConcurrencyPermits } from './concurrency-permits.ts';
import type { LimitStore } from './limit-store.ts';
import { policyField, rateLimitField } from './rate-limit-fields.ts';
import { TokenLot } from './token-lot.ts';

const daySeconds = 86_400;

export interface AccountLimitsOptions {
  readonly store: LimitStore;
  readonly accountId: string;
  readonly plan: Plan;
  /** Name of the service: requests under way are counted for each service apart. */
  readonly service: string;
  /** Name of this process among those that share the limits. */
  readonly holder: string;
  readonly now: () => number;
}

/** What one account may use under its plan, in this process and in all others. */
export class AccountLimits {
  readonly plan: Plan;
  /** The value of the header field RateLimit-Policy; empty where the plan has no rates. */
  readonly policy: string;
  readonly #now: () => number;
  readonly #service: string;
  readonly #requests: TokenLot | undefined;
  readonly #credits: TokenLot | undefined;
  readonly #bytesIn: TokenLot | undefined;
  readonly #bytesOut: TokenLot | undefined;
  readonly #concurrent: ConcurrencyPermits | undefined;
  readonly #sockets: ConcurrencyPermits | undefined;
  #field = '';
  #fieldAt = 0;
  /** When it was last asked for anything. */
  usedAt = 0;

  constructor({ store, accountId, plan, service, holder, now }: AccountLimitsOptions) {
    this.plan = plan;
    this.#service = service;
    this.policy = policyField(plan);
    this.#now = now;
    const { requestsPerSecond: rate, creditsPerDay, bytesInPerDay, bytesOutPerDay } = plan;
    if (rate !== undefined) {
      const capacity = plan.burst ?? Math.max(1, rate * 10);
      const rule = {
        kind: 'bucket',
        ratePerSecond: Math.max(rate, 1e-9),
        capacity: rate === 0 ? 0 : capacity,
      } as const;
      this.#requests = new TokenLot(store, `${accountId}\0requests`, rule, now);
    }
    const daily = (name: string, limit: number | undefined) =>
      limit === undefined
        ? undefined
        : new TokenLot(store, `${accountId}\0${name}`, { kind: 'window', limit, seconds: daySeconds }, now);
    this.#credits = daily('credits', creditsPerDay);
    this.#bytesIn = daily('bytes-in', bytesInPerDay);
    this.#bytesOut = daily('bytes-out', bytesOutPerDay);
    const slots = (name: string, limit: number | undefined) =>
      limit === undefined ? undefined : new ConcurrencyPermits(store, `${accountId}\0${name}`, limit, holder, now);
    // Each service has places of its own: a burst of calls leaves those of uploads free.
    this.#concurrent = slots(`concurrent\0${service}`, plan.concurrentRequests);
    this.#sockets = slots('sockets', plan.webSockets);
  }

  /** The value of the header field RateLimit, as it was in this millisecond; empty where the plan has no rates. */
  get rateLimit(): string {
    const now = this.#now();
    if (now !== this.#fieldAt) {
      this.#fieldAt = now;
      this.#field = rateLimitField({ plan: this.plan, requests: this.#requests, credits: this.#credits, now });
    }
    return this.#field;
  }

  /**
   * Counts a request before it is worked on. At once where this process has room left.
   * @throws LIMIT_REACHED, also as the rejection of what it returns
   */
  admit(credits: number): Promise<void> | undefined {
    const now = this.#now();
    this.usedAt = now;
    if (this.#requests !== undefined && !this.#requests.tryTake(1, now)) return this.#admitSlowly(credits, true);
    if (this.#credits !== undefined && credits > 0 && !this.#credits.tryTake(credits, now))
      return this.#admitSlowly(credits, false);
    return undefined;
  }

  async #admitSlowly(credits: number, withRequest: boolean): Promise<void> {
    if (withRequest) await this.#take('requestsPerSecond', this.#requests, 1);
    if (credits > 0) await this.#take('creditsPerDay', this.#credits, credits);
  }

  async #take(limit: LimitName, lease: TokenLot | undefined, amount: number): Promise<void> {
    const waitMs = await lease?.take(amount);
    if (waitMs !== undefined) throw this.#refusal(limit, lease?.remaining ?? 0, waitMs);
  }

  /** Counts what a request has turned out to cost beyond its price: gas, bytes. It may end below zero once. */
  charge(credits: number): void {
    this.#credits?.charge(credits);
  }

  /**
   * Takes credits beyond the price of a request that was admitted, before its work begins.
   * @throws LIMIT_REACHED as {@link admit}
   */
  takeCredits(credits: number): Promise<void> | undefined {
    if (this.#credits === undefined || this.#credits.tryTake(credits)) return undefined;
    return this.#take('creditsPerDay', this.#credits, credits);
  }

  /**
   * Takes the most that work can cost before it begins.
   * @returns a function that gives all of it back, on the same day
   * @throws LIMIT_REACHED
   */
  async holdCredits(credits: number): Promise<() => void> {
    await this.takeCredits(credits);
    const lease = this.#credits;
    const day = lease?.endsAt;
    return () => {
      if (lease !== undefined && lease.endsAt === day) lease.charge(-credits);
    };
  }

  /** Counts bytes that have been received and sent. */
  chargeBytes(received: number, sent: number): void {
    if (received > 0) this.#bytesIn?.charge(received);
    if (sent > 0) this.#bytesOut?.charge(sent);
  }

  /** Looks whether bytes of today are left. @throws LIMIT_REACHED as {@link admit} */
  requireBytes(): Promise<void> | undefined {
    const now = this.#now();
    if (hasSome(this.#bytesIn, now) && hasSome(this.#bytesOut, now)) return undefined;
    return this.#requireBytesSlowly();
  }

  /** Looks whether credits of today are left. @throws LIMIT_REACHED as {@link admit} */
  requireCredits(): Promise<void> | undefined {
    if (hasSome(this.#credits, this.#now())) return undefined;
    return this.#requireCreditsSlowly();
  }

  async #requireCreditsSlowly(): Promise<void> {
    await this.#take('creditsPerDay', this.#credits, 1);
    this.#credits?.charge(-1);
  }

  /**
   * Looks whether a request of so many credits could be admitted, and takes nothing: asked before a body is read and parsed.
   * @throws LIMIT_REACHED as {@link admit}
   */
  requireRequest(credits: number): Promise<void> | undefined {
    const now = this.#now();
    this.usedAt = now;
    if (hasSome(this.#requests, now) && hasSome(this.#credits, now, credits)) return undefined;
    return this.#requireRequestSlowly(credits);
  }

  async #requireRequestSlowly(credits: number): Promise<void> {
    await this.#take('requestsPerSecond', this.#requests, 1);
    this.#requests?.charge(-1);
    await this.#take('creditsPerDay', this.#credits, credits);
    this.#credits?.charge(-credits);
  }

  async #requireBytesSlowly(): Promise<void> {
    await this.#take('bytesInPerDay', this.#bytesIn, 1);
    this.#bytesIn?.charge(-1);
    await this.#take('bytesOutPerDay', this.#bytesOut, 1);
    this.#bytesOut?.charge(-1);
  }

  /** Takes a place among the requests under way; give it back with {@link leave}. @throws LIMIT_REACHED as {@link admit} */
  enter(): Promise<void> | undefined {
    if (this.#concurrent === undefined || this.#concurrent.tryEnter()) return undefined;
    return this.#enterSlowly('concurrentRequests', this.#concurrent);
  }

  leave(): void {
    this.#concurrent?.leave();
  }

  /** Takes a place among the WebSocket connections; give it back with {@link disconnect}. @throws LIMIT_REACHED */
  async connect(): Promise<void> {
    if (this.#sockets !== undefined) await this.#enterSlowly('webSockets', this.#sockets);
  }

  disconnect(): void {
    this.#sockets?.leave();
  }

  async #enterSlowly(limit: LimitName, slots: ConcurrencyPermits): Promise<void> {
    if (!(await slots.enter())) throw this.#refusal(limit, 0, 1000);
  }

  #refusal(limit: LimitName, remaining: number, waitMs: number): MeteringError {
    const allowed = this.plan[limit] ?? 0;
    const isSlots = limit === 'concurrentRequests' || limit === 'webSockets';
    const capacity = limit === 'requestsPerSecond' ? (this.#requests?.allowed ?? allowed) : allowed;
    return limitReached({
      limit,
      allowed,
      used: isSlots ? ((limit === 'webSockets' ? this.#sockets : this.#concurrent)?.used ?? 0) : capacity - remaining,
      plan: this.plan.name,
      retryAfterSeconds: Math.max(1, Math.ceil(waitMs / 1000)),
      ...(limit === 'concurrentRequests' && { service: this.#service }),
    });
  }

  /** Gives back what is not used, keeps what is. Called a few times a second. */
  async settle(options: { readonly isClosing?: boolean } = {}): Promise<void> {
    const leases = [this.#requests, this.#credits, this.#bytesIn, this.#bytesOut];
    await Promise.all(leases.map((lease) => lease?.settle(options)));
  }

  /** Keeps the places in use. Called about once a second. */
  async renew(options: { readonly isClosing?: boolean } = {}): Promise<void> {
    await Promise.all([this.#concurrent?.renew(options), this.#sockets?.renew(options)]);
  }

  /** Whether nothing of it is held or in use. */
  get isIdle(): boolean {
    return (this.#concurrent?.isIdle ?? true) && (this.#sockets?.isIdle ?? true);
  }
}

function hasSome(lease: TokenLot | undefined, now: number, amount = 1): boolean {
  if (lease === undefined) return true;
  if (!lease.tryTake(amount, now)) return false;
  lease.charge(-amount);
  return true;
}
