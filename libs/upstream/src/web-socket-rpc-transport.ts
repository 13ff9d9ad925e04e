import { countJsonValues } from '@cairn/platform';
import WebSocket from 'ws';
import type { UpstreamAddress } from './address.ts';
import type { RpcErrorObject } from './classify-error.ts';
import { AttemptFailure } from './errors.ts';
import { reasonOf } from './http-rpc-transport.ts';
import type { UpstreamLimits } from './limits.ts';
import { NoticeBudget } from './notice-budget.ts';
import {
  answersOf,
  bodyOf,
  type RpcTransport,
  type WireAnswer,
  type WireAnswers,
  type WireCall,
} from './rpc-transport.ts';

const unaskedFault = 'it sends more than it was asked for';

interface Pending {
  readonly socket: WebSocket;
  readonly calls: readonly WireCall[];
  readonly byId: Map<number, WireAnswer>;
  resolve(answers: WireAnswers): void;
  reject(error: Error): void;
}

/** JSON-RPC and subscriptions over one WebSocket, opened on first use and again after it closed. */
export class WebSocketRpcTransport implements RpcTransport {
  readonly #address: UpstreamAddress;
  readonly #limits: UpstreamLimits;
  /** Called with `subscription` and `result` of each notification. */
  readonly #onNotification: (subscription: string, result: unknown) => void;
  readonly #onClose: () => void;
  readonly #pending = new Map<number, Pending>();
  #socket: Promise<WebSocket> | undefined;
  /** Calls that were aborted, and whose answers may still arrive. */
  readonly #late = new Set<number>();
  /** Connection that must answer a ping. */
  #probed: WebSocket | undefined;

  constructor(
    address: UpstreamAddress,
    limits: UpstreamLimits,
    listeners: { onNotification(subscription: string, result: unknown): void; onClose(): void },
  ) {
    this.#address = address;
    this.#limits = limits;
    this.#onNotification = listeners.onNotification;
    this.#onClose = listeners.onClose;
  }

  async send(calls: readonly WireCall[], signal: AbortSignal): Promise<WireAnswers> {
    signal.throwIfAborted();
    try {
      this.#socket ??= this.#open();
      const socket = await this.#socket;
      return await this.#exchange(socket, calls, signal);
    } catch (error) {
      signal.throwIfAborted();
      if (error instanceof AttemptFailure) throw error;
      throw new AttemptFailure('failed', reasonOf(error));
    }
  }

  async close(): Promise<void> {
    const socket = await this.#socket?.catch(() => undefined);
    socket?.terminate();
  }

  async #exchange(socket: WebSocket, calls: readonly WireCall[], signal: AbortSignal): Promise<WireAnswers> {
    let abort: (() => void) | undefined;
    try {
      return await new Promise<WireAnswers>((resolve, reject) => {
        const pending: Pending = { socket, calls, byId: new Map(), resolve, reject };
        for (const { id } of calls) this.#pending.set(id, pending);
        abort = () => {
          reject(new AttemptFailure('failed', 'aborted'));
          this.#expectLate(pending);
          if (signal.reason instanceof AttemptFailure) this.#probe(socket);
        };
        signal.addEventListener('abort', abort, { once: true });
        socket.send(bodyOf(calls), (error) => error && reject(error));
      });
    } finally {
      if (abort) signal.removeEventListener('abort', abort);
      for (const { id } of calls) this.#pending.delete(id);
    }
  }

  #expectLate({ calls, byId }: Pending): void {
    for (const { id } of calls) if (!byId.has(id)) this.#late.add(id);
    for (const oldest of this.#late) {
      if (this.#late.size <= this.#limits.queueMax) break;
      this.#late.delete(oldest);
    }
  }

  #open(): Promise<WebSocket> {
    const { url, headers } = this.#address;
    const socket = new WebSocket(url, {
      headers,
      maxPayload: this.#limits.answerBytesMax,
      handshakeTimeout: this.#limits.attemptMs,
      followRedirects: false,
    });
    const budget = new NoticeBudget(this.#limits);
    const end = (reason: string) => {
      lose(new AttemptFailure('failed', reason));
      socket.terminate();
    };
    socket.on('message', (data: Buffer) => {
      const fault = this.#receive(data, budget);
      if (fault !== undefined) end(fault);
    });
    let isLost = false;
    const lose = (failure: AttemptFailure) => {
      // The event `close` follows an error, when a later connection may be in use.
      if (isLost) return;
      isLost = true;
      this.#socket = undefined;
      this.#late.clear();
      for (const { socket: used, reject } of this.#pending.values()) if (used === socket) reject(failure);
      this.#onClose();
    };
    socket.on('close', () => lose(new AttemptFailure('failed', 'the connection closed')));
    return new Promise((resolve, reject) => {
      socket.once('open', () => resolve(socket));
      socket.once('unexpected-response', (_request, response) => {
        const failure = new AttemptFailure(
          response.statusCode === 429 ? 'limited' : 'failed',
          `status ${response.statusCode}`,
        );
        response.destroy();
        reject(failure);
        socket.terminate();
      });
      socket.on('error', (error) => {
        const failure = new AttemptFailure('failed', reasonOf(error));
        lose(failure);
        reject(failure);
        // After an invalid frame, ws waits 30 s for the other side to close.
        socket.terminate();
      });
    });
  }

  /**
   * Ends a connection that answers no ping, so that the next call opens another one. A connection whose other end is gone without a
   * FIN would stay until TCP gives up after 15 minutes.
   */
  #probe(socket: WebSocket): void {
    if (this.#probed === socket || socket.readyState !== WebSocket.OPEN) return;
    this.#probed = socket;
    const timer = setTimeout(() => socket.terminate(), this.#limits.attemptMs).unref();
    const end = () => {
      clearTimeout(timer);
      if (this.#probed === socket) this.#probed = undefined;
      for (const event of ['pong', 'message', 'close']) socket.off(event, end);
    };
    for (const event of ['pong', 'message', 'close']) socket.on(event, end);
    socket.ping();
  }

  /** Returns the reason to end the connection. */
  #receive(data: Buffer, budget: NoticeBudget): string | undefined {
    const isExpected = this.#pending.size > 0 || this.#late.size > 0;
    if (!isExpected && !budget.has(data.length)) return unaskedFault;
    const { answerValuesMax } = this.#limits;
    if (countJsonValues(data) > answerValuesMax) return `the answer has more than ${answerValuesMax} values`;
    let value: unknown;
    try {
      value = JSON.parse(data.toString());
    } catch {
      return 'the answer is not JSON';
    }
    let isAnswer = false;
    for (const entry of Array.isArray(value) ? value : [value]) if (this.#route(entry)) isAnswer = true;
    return isAnswer || budget.take(data.length) ? undefined : unaskedFault;
  }

  /** Returns true for the first answer to a call. */
  #route(entry: unknown): boolean {
    if (typeof entry !== 'object' || entry === null) return false;
    const { method, params, id, error } = entry as {
      readonly method?: unknown;
      readonly params?: { readonly subscription?: unknown; readonly result?: unknown };
      readonly id?: unknown;
      readonly error?: RpcErrorObject | null;
    };
    if (method === 'eth_subscription' && typeof params?.subscription === 'string') {
      this.#onNotification(params.subscription, params.result);
      return false;
    }
    const pending = typeof id === 'number' ? this.#pending.get(id) : undefined;
    if (pending !== undefined) {
      const isNew = !pending.byId.has(id as number);
      if (isNew) pending.byId.set(id as number, entry as WireAnswer);
      if (pending.byId.size === pending.calls.length) pending.resolve({ byId: pending.byId });
      return isNew;
    }
    if (typeof id === 'number' && this.#late.delete(id)) return true;
    // An error without a known id concerns a whole batch, and the oldest is the only candidate.
    const oldest: Pending | undefined =
      error && typeof id !== 'number' ? this.#pending.values().next().value : undefined;
    oldest?.resolve(answersOf(entry, []));
    return oldest !== undefined;
  }
}
