import type { Principal } from '@cairn/auth';
import { isCairnError } from '@cairn/errors';
import type { AnyMethod, DispatchedCall } from '@cairn/jsonrpc-core';
import {
  type AccountLimits,
  creditsOfAnswer,
  creditsOfBody,
  creditsOfGas,
  creditsOfWorker,
  type Metering,
  type UsageOwner,
} from '@cairn/metering';
import type { RequestSpan } from '@cairn/service-kit';
import type { RequestContext } from './request-context.ts';

/** Credits of a request for a method that there is not, and of a notification of a subscription. */
const smallestPrice = 1;
/** Bytes of a body that is read and parsed before limits are asked: their answers name the requests that were refused. */
const smallBodyBytes = 4096;

/** What one body costs and counts: its limits before, its usage after. */
export class RequestMeter {
  readonly limits: AccountLimits;
  /** How often each method was called, for the log. */
  readonly calls: Record<string, number> = {};
  /** What all of it cost. */
  credits = 0;
  gas = 0;
  readonly #metering: Metering;
  readonly #owner: UsageOwner;
  readonly #network: string;
  readonly #start = performance.now();
  #count = 0;
  /** What bytes are counted for: the method that was called, or `batch` for several. */
  #operation = 'unknown';
  #refused = 0;
  #retryAfterSeconds = 0;
  #isInside = false;
  #isEnded = false;

  /** @param span of the request, of which each call is a part */
  constructor(
    metering: Metering,
    principal: Principal,
    network: string,
    private readonly span?: RequestSpan,
  ) {
    this.#metering = metering;
    const { limits, accountId } = metering.payment(principal);
    this.limits = limits;
    this.#owner = { accountId, key: principal.key.reference };
    this.#network = network;
  }

  /** Takes a place among the requests under way. At once where it can. @throws LIMIT_REACHED, also as a rejection */
  enter(): Promise<void> | undefined {
    const waiting = this.limits.enter();
    return waiting === undefined ? this.#entered() : waiting.then(() => this.#entered());
  }

  #entered(): Promise<void> | undefined {
    if (this.#isEnded) {
      // The client went away while it waited: nobody else would give the place back.
      this.limits.leave();
      throw new Error('the request has ended');
    }
    this.#isInside = true;
    return this.limits.requireBytes();
  }

  /**
   * Asks before a longer body is read and parsed whether the account has room for it.
   * @param bytes as far as they are announced
   * @throws LIMIT_REACHED, also as a rejection
   */
  requireRoom(bytes: number): Promise<void> | undefined {
    if (bytes <= smallBodyBytes) return undefined;
    return this.limits.requireRequest(Math.max(smallestPrice, creditsOfBody(bytes)));
  }

  /** Counts one call before it is worked on. @throws LIMIT_REACHED, also as a rejection */
  admit(method: AnyMethod<RequestContext> | undefined): Promise<void> | undefined {
    return this.limits.admit(priceOf(method))?.catch((error: unknown) => {
      const seconds = isCairnError(error, 'LIMIT_REACHED') ? Number(error.details.retryAfterSeconds) : 1;
      this.#retryAfterSeconds = Math.max(this.#retryAfterSeconds, seconds);
      throw error;
    });
  }

  /** Counts gas that a call has used, beside its price. */
  addGas(operation: string, gas: bigint | number, credits = creditsOfGas(Number(gas))): void {
    const used = Number(gas);
    this.gas += used;
    this.#charge(credits);
    this.#metering.ledger.addUse(this.#owner, { operation, network: this.#network, gas: used, credits });
  }

  /** Counts the time that a call has held a worker, beside its price. */
  addWorkerTime(operation: string, workerMs: number): void {
    const credits = creditsOfWorker(workerMs);
    if (credits === 0) return;
    this.#charge(credits);
    this.#metering.ledger.addUse(this.#owner, { operation, network: this.#network, credits });
  }

  /** Takes credits beyond the price of a method before it is worked on. @throws LIMIT_REACHED */
  async takeMore(operation: string, credits: number): Promise<void> {
    await this.limits.takeCredits(credits);
    this.credits += credits;
    this.#metering.ledger.addUse(this.#owner, { operation, network: this.#network, credits });
  }

  /**
   * Takes what a worker can cost in so much time, until the function that it returns is called.
   * @throws LIMIT_REACHED where less is left
   */
  holdWorkerTime(workerMs: number): Promise<() => void> {
    return this.limits.holdCredits(creditsOfWorker(workerMs));
  }

  /** Counts a call that has ended. */
  recordCall({ method, cost, errorCode, duration, isAdmitted, characters }: DispatchedCall): void {
    const more = isAdmitted ? creditsOfAnswer(characters) : 0;
    const price = isAdmitted ? Math.max(smallestPrice, cost) : 0;
    if (more > 0) this.#charge(more);
    this.credits += price;
    this.calls[method] = (this.calls[method] ?? 0) + 1;
    if (this.#count === 0) this.#operation = method;
    else if (method !== this.#operation) this.#operation = 'batch';
    this.#count++;
    if (!isAdmitted) this.#refused++;
    const outcome = errorCode === undefined ? 'ok' : isAdmitted ? 'error' : 'limited';
    const credits = price + more;
    const used = { operation: method, network: this.#network, outcome, credits, durationMs: duration } as const;
    this.#metering.ledger.record(this.#owner, used);
    this.span?.addPart(method, {
      durationMs: duration,
      isError: errorCode !== undefined,
      attributes: { 'rpc.system': 'jsonrpc', 'rpc.method': method, 'rpc.jsonrpc.error_code': errorCode },
    });
  }

  #charge(credits: number): void {
    if (credits === 0) return;
    this.credits += credits;
    this.limits.charge(credits);
  }

  /** Seconds to wait, where nothing of the body was admitted. */
  get retryAfterSeconds(): number | undefined {
    return this.#refused > 0 && this.#refused === this.#count ? this.#retryAfterSeconds : undefined;
  }

  /** Header fields of every answer. */
  get headers(): Record<string, string> {
    const { policy } = this.limits;
    return policy === '' ? {} : { 'ratelimit-policy': policy, ratelimit: this.limits.rateLimit };
  }

  /** Counts a notification of a subscription. */
  notified(bytes: number): void {
    this.limits.charge(smallestPrice);
    const used = { operation: 'eth_subscription', network: this.#network, credits: smallestPrice } as const;
    this.#metering.ledger.record(this.#owner, { ...used, outcome: 'ok', durationMs: 0 });
    this.#countBytes('eth_subscription', 0, bytes);
  }

  /** Ends it: the place is free again, and bytes are counted. Once for each {@link enter} that was asked for. */
  end({
    bytesIn,
    bytesOut,
    status,
  }: {
    readonly bytesIn: number;
    readonly bytesOut: number;
    readonly status: number;
  }): void {
    if (this.#isInside) this.limits.leave();
    this.#isInside = false;
    this.#isEnded = true;
    if (this.#count === 0) this.#recordUnanswered(status);
    this.#chargeBody(bytesIn);
    this.#countBytes(this.#operation, bytesIn, bytesOut);
  }

  #chargeBody(bytes: number): void {
    const credits = creditsOfBody(bytes);
    if (credits === 0) return;
    this.#charge(credits);
    const use = { operation: this.#operation, network: this.#network, credits };
    this.#metering.ledger.addUse(this.#owner, use);
  }

  /** A body that held no call is counted as one, so that it is not free. */
  #recordUnanswered(status: number): void {
    const isRefused = status === 429;
    const credits = isRefused ? 0 : smallestPrice;
    if (!isRefused) this.limits.admit(credits)?.catch(() => {});
    this.credits += credits;
    this.calls.unknown = 1;
    this.#metering.ledger.record(this.#owner, {
      operation: 'unknown',
      network: this.#network,
      outcome: isRefused ? 'limited' : 'error',
      credits,
      durationMs: performance.now() - this.#start,
    });
  }

  #countBytes(operation: string, bytesIn: number, bytesOut: number): void {
    if (bytesIn + bytesOut === 0) return;
    this.limits.chargeBytes(bytesIn, bytesOut);
    this.#metering.ledger.addUse(this.#owner, { operation, network: this.#network, bytesIn, bytesOut });
  }
}

function priceOf(method: AnyMethod<RequestContext> | undefined): number {
  return Math.max(smallestPrice, method === undefined ? 0 : (method.cost ?? 1));
}
