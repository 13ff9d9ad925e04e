import type { ServerResponse } from 'node:http';
import { WebSocket } from 'ws';

/** Subscription of one viewer. */
export interface Subscription {
  readonly kind: string;
  readonly filter?: unknown;
}

export interface EventStreamOptions extends Subscription {
  /** Opens a connection to the gateway. Each connection is valid for a minute, because its credentials are. */
  readonly connect: () => Promise<WebSocket>;
}

/** Kinds that `cairn_resume` continues without a gap. */
const resumable: readonly string[] = ['newHeads', 'logs', 'transactionReceipts'];
/** Bytes that wait for a slow viewer before the stream ends. */
const unsentBytesMax = 1024 * 1024;
const reconnectMs = 1000;
/** Age at which a connection is replaced: before its credentials end. */
const connectionMs = 50_000;

interface Message {
  readonly id?: number;
  readonly result?: unknown;
  readonly error?: { readonly code: number; readonly message: string };
  readonly method?: string;
  readonly params?: { readonly result: unknown };
}

/**
 * Streams the events of a subscription as lines of JSON: `{ event }` for each event, `{ error }` at the end if the gateway refuses.
 * When a connection ends, the next one resumes after the last event.
 */
export class EventStream {
  readonly #options: EventStreamOptions;
  readonly #response: ServerResponse;
  #socket: WebSocket | undefined;
  #id: unknown;
  #last: unknown;
  #timer: NodeJS.Timeout | undefined;
  #expiry: NodeJS.Timeout | undefined;
  #isEnded = false;

  constructor(response: ServerResponse, options: EventStreamOptions) {
    this.#options = options;
    this.#response = response;
    response.once('close', () => this.end());
  }

  /** Opens the first connection. @throws errors of `connect` */
  async start(): Promise<void> {
    await this.#open();
  }

  /** Ends connection and response. */
  end(): void {
    this.#isEnded = true;
    clearTimeout(this.#timer);
    clearTimeout(this.#expiry);
    this.#socket?.terminate();
    this.#response.end();
  }

  async #open(): Promise<void> {
    const socket = await this.#options.connect();
    if (this.#isEnded) return socket.terminate();
    this.#socket = socket;
    if (!this.#response.headersSent) {
      this.#response.writeHead(200, { 'content-type': 'application/x-ndjson', 'x-accel-buffering': 'no' });
      this.#response.flushHeaders();
    }
    socket.on('message', (data: Buffer) => this.#receive(JSON.parse(data.toString()) as Message));
    socket.on('error', () => {});
    socket.once('close', () => this.#reconnect());
    this.#expiry = setTimeout(() => socket.terminate(), connectionMs);
    const { kind, filter } = this.#options;
    const wanted = filter === undefined ? [kind] : [kind, filter];
    const isResumed = this.#last !== undefined && resumable.includes(kind);
    const request = isResumed
      ? { method: 'cairn_resume', params: [this.#id, this.#last, ...wanted] }
      : { method: 'eth_subscribe', params: wanted };
    socket.send(JSON.stringify({ jsonrpc: '2.0', id: 1, ...request }));
  }

  #receive({ id, result, error, params }: Message): void {
    if (error !== undefined) {
      this.#write({ error: error.message });
      this.end();
      return;
    }
    if (id === 1) {
      this.#id = result;
      return;
    }
    if (params === undefined) return;
    this.#last = params.result;
    this.#write({ event: params.result });
  }

  #write(line: object): void {
    if (this.#isEnded) return;
    this.#response.write(`${JSON.stringify(line)}\n`);
    if (this.#response.writableLength > unsentBytesMax) this.end();
  }

  #reconnect(): void {
    clearTimeout(this.#expiry);
    if (this.#isEnded) return;
    this.#timer = setTimeout(() => this.#open().catch(() => this.#reconnect()), reconnectMs);
  }
}
