import { boundedJson, isCairnError } from '@cairn/errors';
import { AttemptFailure } from './errors.ts';
import type { UpstreamLimits } from './limits.ts';
import { SlicedWork } from './sliced-work.ts';
import type { Upstream } from './upstream.ts';
import type { UpstreamCall, UpstreamEvent } from './upstream-call.ts';

/** Errors of the runtime for values of an unexpected kind, such as texts or nesting above its limits. */
function isUnreadable(error: unknown): boolean {
  return error instanceof RangeError || error instanceof TypeError;
}

/** Methods whose parameters are signed transactions, which are not public before they are mined. */
const signedMethods = /^eth_sendRaw/;

/** Sends single attempts and records their outcomes in breaker, rate, latency and capabilities of the upstream. */
export class Attempts {
  readonly #limits: UpstreamLimits;
  readonly #now: () => number;
  readonly #onEvent: (event: UpstreamEvent) => void;
  readonly #verification = new SlicedWork();

  constructor(limits: UpstreamLimits, now: () => number, onEvent: (event: UpstreamEvent) => void) {
    this.#limits = limits;
    this.#now = now;
    this.#onEvent = onEvent;
  }

  /** Sends one attempt, verifies its answer, and records the outcome. @throws AttemptFailure */
  async attempt<T>(upstream: Upstream, call: UpstreamCall<T>, signal: AbortSignal): Promise<T> {
    const start = this.#now();
    const params = JSON.stringify(call.params);
    upstream.breaker.started();
    let result: unknown;
    try {
      result = await upstream.send({ method: call.method, params, need: call.need }, signal);
    } catch (error) {
      if (!(error instanceof AttemptFailure)) {
        upstream.breaker.released();
        // Another upstream was faster: without this sample, a node that never answers would stay the first choice.
        const ms = this.#now() - start;
        if (ms > upstream.latency.average) upstream.latency.add(ms);
        throw error;
      }
      this.#failed(upstream, call, error, this.#now() - start);
      throw error;
    }
    try {
      const value = await this.#verification.run(() => {
        signal.throwIfAborted();
        return call.parse(result);
      });
      this.#answered(upstream, this.#now() - start);
      return value;
    } catch (error) {
      upstream.breaker.released();
      if (error instanceof AttemptFailure) {
        this.#failed(upstream, call, error, this.#now() - start);
        throw error;
      }
      if (isUnreadable(error)) {
        const failure = new AttemptFailure('failed', `the answer cannot be read (${(error as Error).name})`);
        this.#failed(upstream, call, failure, this.#now() - start);
        throw failure;
      }
      if (!isCairnError(error, 'UPSTREAM_ANSWER_INVALID')) throw error;
      const reason = upstream.address.redactor.text(error.message);
      this.#isolate(upstream, call.method, reason, { params, result });
      throw new AttemptFailure('wrong', reason);
    }
  }

  #answered(upstream: Upstream, ms: number): void {
    upstream.latency.add(ms);
    upstream.rate.succeeded();
    if (upstream.breaker.succeeded()) this.#onEvent({ type: 'closed', upstream: upstream.name });
    this.#onEvent({ type: 'attempt', upstream: upstream.name, outcome: 'answered', ms });
  }

  #failed<T>(upstream: Upstream, { method, need }: UpstreamCall<T>, failure: AttemptFailure, ms: number): void {
    const { name } = upstream;
    const { kind } = failure;
    upstream.lastFailure = failure.message;
    if (kind === 'failed') {
      if (upstream.breaker.failed()) this.#onEvent({ type: 'opened', upstream: name, reason: failure.message });
    } else {
      // The node answered, so the connection works.
      upstream.latency.add(ms);
      upstream.breaker.succeeded();
    }
    if (kind === 'limited')
      this.#onEvent({ type: 'limited', upstream: name, ms: upstream.rate.limited(failure.retryAfterMs) });
    if (kind === 'unsupported') {
      upstream.capabilities.lacks(method);
      this.#onEvent({ type: 'unsupported', upstream: name, method });
    }
    if (kind === 'pruned' && need !== undefined) upstream.capabilities.pruned(need);
    this.#onEvent({ type: 'attempt', upstream: name, outcome: kind, ms });
  }

  #isolate(
    upstream: Upstream,
    method: string,
    reason: string,
    { params, result }: { readonly params: string; readonly result: unknown },
  ): void {
    const { evidenceCharactersMax } = this.#limits;
    upstream.lastFailure = reason;
    const evidence = {
      params: signedMethods.test(method) ? '' : params.slice(0, evidenceCharactersMax),
      result: upstream.address.redactor.text(boundedJson(result, evidenceCharactersMax)),
    };
    this.#onEvent({ type: 'attempt', upstream: upstream.name, outcome: 'wrong', ms: 0 });
    // Other calls of the same batch are wrong for the same reason.
    if (upstream.isIsolated) return;
    this.#onEvent({ type: 'isolated', upstream: upstream.name, method, reason, ms: upstream.isolate(), evidence });
  }
}
