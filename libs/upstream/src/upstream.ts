import type { UpstreamAddress } from './address.ts';
import { CircuitBreaker } from './breaker.ts';
import { Capabilities, type HistoryNeed } from './capabilities.ts';
import { failureOfRpcError, kindOfRpcError } from './classify-error.ts';
import { AttemptFailure } from './errors.ts';
import { HttpRpcTransport } from './http-rpc-transport.ts';
import { LaneQueue } from './lane-queue.ts';
import { currentLane } from './lanes.ts';
import { LatencyWindow } from './latency.ts';
import type { UpstreamLimits } from './limits.ts';
import { RateGuard } from './rate-guard.ts';
import type { RpcTransport, WireAnswers } from './rpc-transport.ts';
import { afterTimeLimit } from './time-limit.ts';
import { WebSocketRpcTransport } from './web-socket-rpc-transport.ts';

/** A call as the pool hands it to an upstream. */
export interface OutgoingCall {
  readonly method: string;
  /** JSON text of the parameters. */
  readonly params: string;
  readonly need?: HistoryNeed | undefined;
}

interface Queued extends OutgoingCall {
  /** Name of the lane; empty for calls of the process. */
  readonly lane: string;
  readonly id: number;
  readonly text: string;
  readonly signal: AbortSignal;
  resolve(result: unknown): void;
  reject(error: unknown): void;
}

/** Share of the concurrent requests that is left to lanes without a call in flight, so that one lane cannot use all of them. */
const reservedShare = 0.25;

/** One node: its connection, and the learned state by which the pool chooses. Calls of one turn share a batch. */
export class Upstream {
  readonly address: UpstreamAddress;
  readonly capabilities: Capabilities;
  readonly breaker: CircuitBreaker;
  readonly rate: RateGuard;
  readonly latency = new LatencyWindow();
  /** Reason of the last failure, for error messages. */
  lastFailure: string | undefined;
  readonly transport: RpcTransport;
  readonly #limits: UpstreamLimits;
  readonly #now: () => number;
  readonly #queue: LaneQueue<Queued>;
  #isScheduled = false;
  #nextId = 1;
  #inFlight = 0;
  #isolatedUntil = 0;
  #isolationMs: number;

  constructor(
    address: UpstreamAddress,
    options: {
      readonly limits: UpstreamLimits;
      readonly ratePerSecond: number;
      readonly now: () => number;
      onNotification(subscription: string, result: unknown): void;
      onClose(): void;
    },
  ) {
    const { limits, now } = options;
    this.address = address;
    this.#limits = limits;
    this.#now = now;
    this.#queue = new LaneQueue(limits.queueMax);
    this.#isolationMs = limits.isolationMsMin;
    this.capabilities = new Capabilities(limits, now);
    this.breaker = new CircuitBreaker(limits, now);
    this.rate = new RateGuard(options.ratePerSecond, limits, now);
    this.transport =
      address.scheme === 'ws'
        ? new WebSocketRpcTransport(address, limits, options)
        : new HttpRpcTransport(address, limits);
  }

  get name(): string {
    return this.address.name;
  }

  /** Number of requests in flight: HTTP requests, or batches on a WebSocket. */
  get inFlight(): number {
    return this.#inFlight;
  }

  get isIsolated(): boolean {
    return this.#now() < this.#isolatedUntil;
  }

  /** Reports whether the running lane may queue no further call. */
  get isFull(): boolean {
    return this.#queue.isFullFor(currentLane()?.name ?? '');
  }

  /** Excludes the upstream for a time that doubles with each wrong answer. Returns the time in milliseconds. */
  isolate(): number {
    const ms = this.#isolationMs;
    this.#isolatedUntil = this.#now() + ms;
    this.#isolationMs = Math.min(ms * 2, this.#limits.isolationMsMax);
    return ms;
  }

  /**
   * Sends a call with the other calls of this turn.
   * @returns the untrusted result
   * @throws AttemptFailure, or the reason of the signal
   */
  send(call: OutgoingCall, signal: AbortSignal): Promise<unknown> {
    const id = this.#nextId++;
    const text = `{"jsonrpc":"2.0","id":${id},"method":${JSON.stringify(call.method)},"params":${call.params}}`;
    this.rate.take();
    return new Promise((resolve, reject) => {
      this.#queue.push({ ...call, lane: currentLane()?.name ?? '', id, text, signal, resolve, reject });
      this.#schedule();
    });
  }

  async close(): Promise<void> {
    for (const { reject } of this.#queue.clear()) reject(new AttemptFailure('failed', 'the pool is closed'));
    await this.transport.close();
  }

  #schedule(): void {
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    // A macrotask, so that calls that follow from one another by resolved promises share the batch.
    setImmediate(() => {
      this.#isScheduled = false;
      while (this.#queue.length > 0 && this.#inFlight < this.#limits.concurrencyMax) {
        const batch = this.#nextBatch();
        if (batch.length === 0) break;
        void this.#sendBatch(batch);
      }
    });
  }

  /** The next calls of all lanes; none if only the reserve is left and each lane has calls in flight. */
  #nextBatch(): Queued[] {
    let count = 0;
    let bytes = 0;
    const { batchMax } = this.capabilities;
    const { batchBytesMax, concurrencyMax } = this.#limits;
    const fits = ({ text }: Queued) => {
      count += 1;
      bytes += text.length;
      return count === 1 || (count <= batchMax && bytes <= batchBytesMax);
    };
    return this.#queue.take({ fits, isReserve: this.#inFlight >= concurrencyMax * (1 - reservedShare) });
  }

  async #sendBatch(batch: readonly Queued[]): Promise<void> {
    const calls = batch.filter(({ signal, reject }) => {
      if (signal.aborted) reject(signal.reason);
      return !signal.aborted;
    });
    if (calls.length === 0) {
      this.#queue.ended(batch);
      return;
    }
    this.#inFlight += 1;
    const stop = new AbortController();
    const unlisten = abortWithAll(calls, stop);
    const clear = afterTimeLimit(this.#limits.attemptMs, () => stop.abort(new AttemptFailure('failed', 'timeout')));
    try {
      const answers = await this.transport.send(calls, stop.signal);
      this.#settle(calls, answers);
    } catch (error) {
      for (const { reject, signal } of calls) reject(signal.aborted ? signal.reason : error);
    } finally {
      clear();
      unlisten();
      this.#inFlight -= 1;
      this.#queue.ended(batch);
      if (this.#queue.length > 0) this.#schedule();
    }
  }

  #settle(calls: readonly Queued[], { byId, batchError }: WireAnswers): void {
    if (batchError) {
      this.#settleBatchError(calls, batchError);
      return;
    }
    const refused: Queued[] = [];
    for (const call of calls) {
      const answer = byId.get(call.id);
      if (answer === undefined) call.reject(new AttemptFailure('failed', 'the answer omits the call'));
      else if (answer.error && kindOfRpcError(answer.error) === 'batch' && calls.length > 1) refused.push(call);
      else if (answer.error) call.reject(failureOfRpcError(answer.error, this.address.redactor));
      else if (answer.result === undefined) call.reject(new AttemptFailure('failed', 'the answer has no result'));
      else call.resolve(answer.result);
    }
    if (refused.length === 0) return;
    this.capabilities.shortenBatch(calls.length);
    this.#queue.putBack(refused);
  }

  /** Splits a refused batch. Any other error applies to each of its calls. */
  #settleBatchError(calls: readonly Queued[], error: object): void {
    const isRefusedBatch = kindOfRpcError(error) === 'batch' || (calls.length > 1 && isInvalidRequest(error));
    if (isRefusedBatch && this.capabilities.shortenBatch(calls.length)) {
      this.#queue.putBack(calls);
      return;
    }
    for (const { reject } of calls) reject(failureOfRpcError(error, this.address.redactor));
  }
}

/** Code -32600 for an array means that the node takes no batches (JSON-RPC 2.0, section 5.1). */
function isInvalidRequest(error: { readonly code?: unknown }): boolean {
  return error.code === -32600 || error.code === -32700;
}

/** Aborts the batch when every call in it was aborted. Returns a function that removes the listeners. */
function abortWithAll(calls: readonly Queued[], stop: AbortController): () => void {
  let running = calls.length;
  const listeners = calls.map(({ signal, reject }) => {
    const listener = () => {
      reject(signal.reason);
      running -= 1;
      if (running === 0) stop.abort(signal.reason);
    };
    signal.addEventListener('abort', listener, { once: true });
    return () => signal.removeEventListener('abort', listener);
  });
  return () => {
    for (const remove of listeners) remove();
  };
}
