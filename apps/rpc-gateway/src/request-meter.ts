import type { Principal } from '@cairn/auth';
import { isCairnError } from '@cairn/errors';
import type { DispatchedCall } from '@cairn/jsonrpc-core';
import {
  type AccountLimits,
  creditsOfBody,
  creditsOfGas,
  creditsOfResponse,
  creditsOfWorker,
  creditsPerUpstreamCall,
  type FinishedRequest,
  type Metering,
  type UsageOwner,
} from '@cairn/metering';
import type { RequestNames, RequestSpan } from '@cairn/service-kit';

/** Credits of a request for an unknown method, and of one subscription notification. */
const smallestPrice = 1;
/** Smaller bodies are parsed before limits are checked, so that errors name the refused requests. */
const smallBodyBytes = 4096;

/** The price of a method in credits; `undefined` stands for an unknown method. */
type Priced = { readonly cost?: number | undefined } | undefined;

/**
 * How an answer was verified: executed here, proven by hashes from a verified head, or claimed by a quorum of upstreams. Values of the
 * header Cairn-Proof.
 */
export const proofLevels = ['executed', 'proven', 'quorum'] as const;
export type ProofLevel = (typeof proofLevels)[number];

/** Levels of each combination of bits, computed once. */
const proofSets: readonly (readonly ProofLevel[])[] = Array.from({ length: 1 << proofLevels.length }, (_, bits) =>
  proofLevels.filter((__, index) => bits & (1 << index)),
);

/** Limits and usage of one request body: admits it before it is served, and counts it afterwards. */
export class RequestMeter {
  readonly limits: AccountLimits;
  /** Number of calls by method, for the log. */
  readonly calls: Record<string, number> = {};
  /** Credits charged so far. */
  credits = 0;
  gas = 0;
  readonly #metering: Metering;
  readonly #owner: UsageOwner;
  readonly #network: string;
  readonly #start = performance.now();
  #count = 0;
  /** Operation that bytes are counted for: the called method, or `batch` for several. */
  #operation = 'unknown';
  #refused = 0;
  #retryAfterSeconds = 0;
  #isInside = false;
  /** False for notifications, and for requests that a service pays. */
  readonly #isLogged: boolean;
  /** Limit that refused the last call or the body. */
  #limit: string | undefined;
  #isEnded = false;
  /** One bit for each level, in the order of {@link proofLevels}: cheaper than a set on the path of light calls. */
  #proofs = 0;

  /** @param record record of the request: each call becomes a part of its span, and is logged for the account under its id */
  constructor(
    metering: Metering,
    principal: Principal,
    network: string,
    private readonly record?: RequestNames & { readonly span: RequestSpan | undefined },
  ) {
    this.#metering = metering;
    const { limits, accountId } = metering.payment(principal);
    this.limits = limits;
    this.#owner = { accountId, key: principal.key.reference };
    this.#network = network;
    this.#isLogged = record !== undefined && principal.payer === undefined;
  }

  /** Takes a concurrency permit; `undefined` if no wait is needed. @throws LIMIT_REACHED, also as a rejection */
  enter(): Promise<void> | undefined {
    const waiting = this.limits.enter();
    return waiting === undefined ? this.#entered() : waiting.then(() => this.#entered());
  }

  #entered(): Promise<void> | undefined {
    if (this.#isEnded) {
      // The client disconnected while it waited: the permit has to be released here.
      this.limits.leave();
      throw new Error('The request has ended.');
    }
    this.#isInside = true;
    return this.limits.requireBytes();
  }

  /**
   * Checks that the account has credits for a body before a longer one is read and parsed.
   * @param bytes announced length
   * @throws LIMIT_REACHED, also as a rejection
   */
  requireRoom(bytes: number): Promise<void> | undefined {
    if (bytes <= smallBodyBytes) return undefined;
    return this.limits.requireRequest(Math.max(smallestPrice, creditsOfBody(bytes)));
  }

  /** Takes the price of a call before it is served. @throws LIMIT_REACHED, also as a rejection */
  admit(method: Priced): Promise<void> | undefined {
    return this.limits.admit(priceOf(method))?.catch((error: unknown) => {
      const seconds = isCairnError(error, 'LIMIT_REACHED') ? Number(error.details.retryAfterSeconds) : 1;
      this.noteRefusal(error);
      this.#retryAfterSeconds = Math.max(this.#retryAfterSeconds, seconds);
      throw error;
    });
  }

  /** Remembers the limit that refused a call or the body, for the log. */
  noteRefusal(error: unknown): void {
    if (isCairnError(error, 'LIMIT_REACHED')) this.#limit = String(error.details.limit);
  }

  /** Charges gas that a call has used, in addition to its price. */
  addGas(operation: string, gas: bigint | number, credits = creditsOfGas(Number(gas))): void {
    const used = Number(gas);
    this.gas += used;
    this.#charge(credits);
    this.#metering.ledger.addUse(this.#owner, { operation, network: this.#network, gas: used, credits });
  }

  /** Charges the time for which a call has occupied a worker, in addition to its price. */
  addWorkerTime(operation: string, workerMs: number): void {
    const credits = creditsOfWorker(workerMs);
    if (credits === 0) return;
    this.#charge(credits);
    this.#metering.ledger.addUse(this.#owner, { operation, network: this.#network, credits });
  }

  /** Charges a call to an upstream when it is sent, so that concurrent requests of the account see the rest. */
  chargeUpstreamCall(): void {
    this.#charge(creditsPerUpstreamCall);
  }

  /** Counts the calls to upstreams that a call needed and that {@link chargeUpstreamCall} has charged. */
  recordUpstreamCalls(operation: string, calls: number): void {
    if (calls === 0) return;
    const credits = calls * creditsPerUpstreamCall;
    this.#metering.ledger.addUse(this.#owner, { operation, network: this.#network, credits });
  }

  /** Takes credits in addition to the price of a method, before the work starts. @throws LIMIT_REACHED */
  async takeMore(operation: string, credits: number): Promise<void> {
    await this.limits.takeCredits(credits);
    this.credits += credits;
    this.#metering.ledger.addUse(this.#owner, { operation, network: this.#network, credits });
  }

  /**
   * Reserves the credits of a worker for this time. The returned function releases them.
   * @throws LIMIT_REACHED if the account has fewer credits
   */
  holdWorkerTime(workerMs: number): (() => void) | Promise<() => void> {
    return this.limits.holdCredits(creditsOfWorker(workerMs));
  }

  /** Counts a finished call. */
  recordCall({ method, cost, errorCode, duration, isAdmitted, characters }: DispatchedCall): void {
    const more = isAdmitted ? creditsOfResponse(characters) : 0;
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
    this.#log(used, errorCode);
    this.record?.span?.addPart(method, {
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

  /** Value of Retry-After if no call of the body was admitted. */
  get retryAfterSeconds(): number | undefined {
    return this.#refused > 0 && this.#refused === this.#count ? this.#retryAfterSeconds : undefined;
  }

  /** Records how a part of the answer was verified. */
  recordProof(level: ProofLevel): void {
    this.#proofs |= 1 << proofLevels.indexOf(level);
  }

  /** Kinds of verification behind the answer, in a fixed order. */
  get proofs(): readonly ProofLevel[] {
    return proofSets[this.#proofs] ?? [];
  }

  /** Fields for the log line of the request. */
  get logFields() {
    const { calls, credits, gas } = this;
    return { calls, credits, gas };
  }

  /** Rate limit header fields of every answer, in a new object. */
  get headers(): Record<string, string> {
    const { policy } = this.limits;
    return policy === '' ? {} : { 'ratelimit-policy': policy, ratelimit: this.limits.rateLimit };
  }

  /** Charges and counts a subscription notification. */
  notified(bytes: number): void {
    this.limits.charge(smallestPrice);
    const used = { operation: 'eth_subscription', network: this.#network, credits: smallestPrice } as const;
    this.#metering.ledger.record(this.#owner, { ...used, outcome: 'ok', durationMs: 0 });
    this.#countBytes('eth_subscription', 0, bytes);
  }

  /** Releases the permit of {@link enter} and counts bytes. Called once. */
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

  /** Counts a body without a call as one call, so that it is not free. */
  #recordUnanswered(status: number): void {
    const isRefused = status === 429;
    const credits = isRefused ? 0 : smallestPrice;
    if (!isRefused) this.limits.admit(credits)?.catch(() => {});
    this.credits += credits;
    this.calls.unknown = 1;
    const used = {
      operation: 'unknown',
      network: this.#network,
      outcome: isRefused ? 'limited' : 'error',
      credits,
      durationMs: performance.now() - this.#start,
    } as const;
    this.#metering.ledger.record(this.#owner, used);
    this.#log(used, status);
  }

  /** @param code JSON-RPC code of a call, or the HTTP status of a body without calls */
  #log({ operation, network, outcome, credits, durationMs }: Required<FinishedRequest>, code?: number): void {
    if (!this.#isLogged || this.record === undefined) return;
    const { id: requestId, origin } = this.record;
    const error = code === undefined ? undefined : String(code);
    const limit = outcome === 'limited' ? this.#limit : undefined;
    const { key, accountId } = this.#owner;
    const entry = { operation, network, key, outcome, error, limit, durationMs, credits, requestId, origin };
    this.#metering.requests.record(accountId, entry);
  }

  #countBytes(operation: string, bytesIn: number, bytesOut: number): void {
    if (bytesIn + bytesOut === 0) return;
    this.limits.chargeBytes(bytesIn, bytesOut);
    this.#metering.ledger.addUse(this.#owner, { operation, network: this.#network, bytesIn, bytesOut });
  }
}

function priceOf(method: Priced): number {
  return Math.max(smallestPrice, method === undefined ? 0 : (method.cost ?? 1));
}
