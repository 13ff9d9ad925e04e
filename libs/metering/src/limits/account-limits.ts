// Hot path: every request of both services. Bench: metering.bench.ts.
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
  /** Name of the service. Concurrent requests are counted for each service separately. */
  readonly service: string;
  /** Unique name of this process among those that share the limits. */
  readonly holder: string;
  readonly now: () => number;
  /** Asks other processes to return permits of the account that they do not use. */
  readonly recall?: (() => Promise<void>) | undefined;
}

/** Limits of one account under its plan, shared with all other processes. */
export class AccountLimits {
  readonly plan: Plan;
  /** Value of the header field RateLimit-Policy. Empty if the plan limits neither requests nor credits. */
  readonly policy: string;
  readonly #now: () => number;
  readonly #service: string;
  readonly #requests: TokenLot | undefined;
  readonly #credits: TokenLot | undefined;
  readonly #bytesIn: TokenLot | undefined;
  readonly #bytesOut: TokenLot | undefined;
  readonly #requestPermits: ConcurrencyPermits | undefined;
  readonly #socketPermits: ConcurrencyPermits | undefined;
  #field = '';
  #fieldAt = 0;
  /** Time of the last request, in milliseconds since 1970. */
  usedAt = 0;

  constructor({ store, accountId, plan, service, holder, now, recall }: AccountLimitsOptions) {
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
    const permits = (name: string, limit: number | undefined) =>
      limit === undefined
        ? undefined
        : new ConcurrencyPermits(store, `${accountId}\0${name}`, limit, holder, now, recall);
    // Each service has its own permits: a burst of calls takes none from uploads.
    this.#requestPermits = permits(`concurrent\0${service}`, plan.concurrentRequests);
    this.#socketPermits = permits('sockets', plan.webSockets);
  }

  /** Returns permits that are not in use, for another process. */
  async returnUnused(): Promise<void> {
    await Promise.all([this.#requestPermits?.returnUnused(), this.#socketPermits?.returnUnused()]);
  }

  /** Value of the header field RateLimit, computed once per millisecond. Empty if the plan limits neither requests nor credits. */
  get rateLimit(): string {
    const now = this.#now();
    if (now !== this.#fieldAt) {
      this.#fieldAt = now;
      this.#field = rateLimitField({ plan: this.plan, requests: this.#requests, credits: this.#credits, now });
    }
    return this.#field;
  }

  /**
   * Counts a request and its credits before the work starts. Returns `undefined` if the lots of this process cover it;
   * otherwise a promise that resolves when the request is admitted.
   * @throws LIMIT_REACHED as a rejection
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
    this.#prepare(credits);
    if (withRequest) await this.#take('requestsPerSecond', this.#requests, 1);
    if (credits > 0) await this.#take('creditsPerDay', this.#credits, credits);
  }

  /**
   * Requests the lots that a request needs, in parallel: after a pause this process has none, and one answer of the store after
   * another would delay the request several times.
   */
  #prepare(credits: number): void {
    this.#requests?.prepare(1);
    if (credits > 0) this.#credits?.prepare(credits);
    this.#bytesIn?.prepare(1);
    this.#bytesOut?.prepare(1);
  }

  async #take(limit: LimitName, lot: TokenLot | undefined, amount: number): Promise<void> {
    const waitMs = await lot?.take(amount);
    if (waitMs === undefined) return;
    // The field of a refusal must not be one computed earlier in this millisecond.
    this.#fieldAt = 0;
    throw this.#refusal(limit, lot?.remaining ?? 0, waitMs);
  }

  /** Charges costs beyond the price of a request, such as gas, when they are known. The counter can end below zero. */
  charge(credits: number): void {
    this.#credits?.charge(credits);
  }

  /**
   * Takes credits beyond the price of an admitted request, before its work starts.
   * @throws LIMIT_REACHED as {@link admit} does
   */
  takeCredits(credits: number): Promise<void> | undefined {
    if (this.#credits === undefined || this.#credits.tryTake(credits)) return undefined;
    return this.#take('creditsPerDay', this.#credits, credits);
  }

  /**
   * Takes the maximum cost of work before it starts, without a promise if the lots of this process cover it.
   * @returns a function that returns all these credits. It has no effect after the day (UTC) has ended.
   * @throws LIMIT_REACHED
   */
  holdCredits(credits: number): (() => void) | Promise<() => void> {
    const waiting = this.takeCredits(credits);
    return waiting === undefined ? this.#held(credits) : waiting.then(() => this.#held(credits));
  }

  #held(credits: number): () => void {
    const lot = this.#credits;
    const day = lot?.endsAt;
    return () => {
      if (lot !== undefined && lot.endsAt === day) lot.charge(-credits);
    };
  }

  /** Charges bytes that were received and sent. */
  chargeBytes(received: number, sent: number): void {
    if (received > 0) this.#bytesIn?.charge(received);
    if (sent > 0) this.#bytesOut?.charge(sent);
  }

  /** Requires that the daily limits of received and sent bytes are not used up. @throws LIMIT_REACHED as {@link admit} does */
  requireBytes(): Promise<void> | undefined {
    const now = this.#now();
    if (hasTokens(this.#bytesIn, now) && hasTokens(this.#bytesOut, now)) return undefined;
    return this.#requireBytesSlowly();
  }

  /** Requires that the credits of the day are not used up. @throws LIMIT_REACHED as {@link admit} does */
  requireCredits(): Promise<void> | undefined {
    if (hasTokens(this.#credits, this.#now())) return undefined;
    return this.#requireCreditsSlowly();
  }

  async #requireCreditsSlowly(): Promise<void> {
    await this.#take('creditsPerDay', this.#credits, 1);
    this.#credits?.charge(-1);
  }

  /**
   * Requires that a request of this price could be admitted, and takes nothing. Called before a body is read and parsed.
   * @throws LIMIT_REACHED as {@link admit} does
   */
  requireRequest(credits: number): Promise<void> | undefined {
    const now = this.#now();
    this.usedAt = now;
    if (hasTokens(this.#requests, now) && hasTokens(this.#credits, now, credits)) return undefined;
    return this.#requireRequestSlowly(credits);
  }

  async #requireRequestSlowly(credits: number): Promise<void> {
    this.#prepare(credits);
    await this.#take('requestsPerSecond', this.#requests, 1);
    this.#requests?.charge(-1);
    await this.#take('creditsPerDay', this.#credits, credits);
    this.#credits?.charge(-credits);
  }

  async #requireBytesSlowly(): Promise<void> {
    this.#bytesOut?.prepare(1);
    await this.#take('bytesInPerDay', this.#bytesIn, 1);
    this.#bytesIn?.charge(-1);
    await this.#take('bytesOutPerDay', this.#bytesOut, 1);
    this.#bytesOut?.charge(-1);
  }

  /** Acquires a permit of `concurrentRequests`; release it with {@link leave}. @throws LIMIT_REACHED as {@link admit} does */
  enter(): Promise<void> | undefined {
    if (this.#requestPermits === undefined || this.#requestPermits.tryAcquire()) return undefined;
    this.#prepare(1);
    return this.#acquireSlowly('concurrentRequests', this.#requestPermits);
  }

  /** Releases the permit of {@link enter}. */
  leave(): void {
    this.#requestPermits?.release();
  }

  /** Acquires a permit of `webSockets`; release it with {@link disconnect}. @throws LIMIT_REACHED */
  async connect(): Promise<void> {
    if (this.#socketPermits !== undefined) await this.#acquireSlowly('webSockets', this.#socketPermits);
  }

  /** Releases the permit of {@link connect}. */
  disconnect(): void {
    this.#socketPermits?.release();
  }

  async #acquireSlowly(limit: LimitName, permits: ConcurrencyPermits): Promise<void> {
    if (!(await permits.acquire())) throw this.#refusal(limit, 0, 1000);
  }

  #refusal(limit: LimitName, remaining: number, waitMs: number): MeteringError {
    const allowed = this.plan[limit] ?? 0;
    const permits: Partial<Record<LimitName, ConcurrencyPermits | undefined>> = {
      concurrentRequests: this.#requestPermits,
      webSockets: this.#socketPermits,
    };
    const capacity = limit === 'requestsPerSecond' ? (this.#requests?.allowed ?? allowed) : allowed;
    return limitReached({
      limit,
      allowed,
      used: permits[limit]?.used ?? capacity - remaining,
      plan: this.plan.name,
      retryAfterSeconds: Math.max(1, Math.ceil(waitMs / 1000)),
      ...(limit === 'concurrentRequests' && { service: this.#service }),
    });
  }

  /** Returns idle tokens to the shared counters and pays debts. Called a few times a second. */
  async settle(options: { readonly isClosing?: boolean } = {}): Promise<void> {
    const lots = [this.#requests, this.#credits, this.#bytesIn, this.#bytesOut];
    await Promise.all(lots.map((lot) => lot?.settle(options)));
  }

  /** Renews the permits in use before they expire in the store. Called about once a second. */
  async renew(options: { readonly isClosing?: boolean } = {}): Promise<void> {
    await Promise.all([this.#requestPermits?.renew(options), this.#socketPermits?.renew(options)]);
  }

  /** Reports whether this process holds no permit of the account. */
  get isIdle(): boolean {
    return (this.#requestPermits?.isIdle ?? true) && (this.#socketPermits?.isIdle ?? true);
  }
}

/** Reports whether the lot covers this amount, and takes nothing. */
function hasTokens(lot: TokenLot | undefined, now: number, amount = 1): boolean {
  if (lot === undefined) return true;
  if (!lot.tryTake(amount, now)) return false;
  lot.charge(-amount);
  return true;
}
