import { type RawData, WebSocket } from 'ws';
import { peerApiLimits } from '../limits.ts';
import { decodeBlocks, type NumberedBlock } from '../wire/block-frames.ts';
import { fetchPath } from '../wire/calls.ts';
import { type FetchReport, type FetchRequest, fetchReports } from '../wire/fetch-messages.ts';
import { MessageSender } from '../wire/message-sender.ts';
import type { TokenSource } from './http-calls.ts';

const { reconnectMsMin, reconnectMsMax, silenceMs, messageBytesMax } = peerApiLimits;

export interface FetchSocketOptions {
  readonly url: string;
  readonly token: TokenSource;
  /** Called for each new connection: the process of the peer knows nothing of earlier ones. */
  readonly onOpen: () => void;
  readonly onReport: (report: FetchReport) => void;
  readonly onBlock: (block: NumberedBlock) => void;
}

/** One connection for fetches, opened again after each loss until `close`. */
export class FetchSocket {
  readonly #options: FetchSocketOptions;
  readonly #url: string;
  #socket: WebSocket | undefined;
  #sender: MessageSender<FetchRequest> | undefined;
  #pauseMs: number = reconnectMsMin;
  #timer: NodeJS.Timeout | undefined;
  #silence: NodeJS.Timeout | undefined;
  #isClosed = false;
  /** Time since which there is no connection. */
  #lostAt: number | undefined = performance.now();

  constructor(options: FetchSocketOptions) {
    this.#options = options;
    this.#url = `${options.url.replace(/^http/, 'ws').replace(/\/$/, '')}${fetchPath}`;
    void this.#connect();
  }

  get isOpen(): boolean {
    return this.#sender !== undefined;
  }

  /** Milliseconds without a connection; 0 with one. */
  get unreachableMs(): number {
    return this.#lostAt === undefined ? 0 : performance.now() - this.#lostAt;
  }

  /** Sends a message, or drops it without a connection. `onOpen` sends the state to the next one. */
  send(request: FetchRequest): void {
    this.#sender?.send(request);
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    clearTimeout(this.#timer);
    const socket = this.#socket;
    if (socket === undefined || socket.readyState === WebSocket.CLOSED) return;
    const closed = new Promise((resolve) => socket.once('close', resolve));
    if (socket.readyState === WebSocket.OPEN) socket.close(1000);
    else socket.terminate();
    // A peer that does not answer the close must not delay a shutdown.
    const timer = setTimeout(() => socket.terminate(), 500);
    await closed;
    clearTimeout(timer);
  }

  async #connect(): Promise<void> {
    let token: string;
    try {
      token = await this.#options.token();
    } catch {
      return this.#reconnect();
    }
    if (this.#isClosed) return;
    const socket = new WebSocket(this.#url, {
      headers: { authorization: `Bearer ${token}` },
      perMessageDeflate: false,
      maxPayload: messageBytesMax,
      handshakeTimeout: silenceMs,
    });
    // The parts of a message without a copy that joins them.
    socket.binaryType = 'fragments';
    this.#socket = socket;
    socket.on('open', () => this.#opened(socket));
    socket.on('message', (data, isBinary) => this.#read(socket, data, isBinary));
    // The close event follows.
    socket.on('error', () => socket.terminate());
    socket.on('close', () => this.#lost(socket));
  }

  #opened(socket: WebSocket): void {
    this.#pauseMs = reconnectMsMin;
    this.#lostAt = undefined;
    this.#sender = new MessageSender(socket);
    this.#watch(socket);
    this.#options.onOpen();
  }

  /** Ends a connection without a sign of life. */
  #watch(socket: WebSocket): void {
    clearTimeout(this.#silence);
    this.#silence = setTimeout(() => socket.terminate(), silenceMs).unref();
  }

  #read(socket: WebSocket, data: RawData, isBinary: boolean): void {
    this.#watch(socket);
    let blocks: NumberedBlock[] = [];
    let reports: FetchReport[] = [];
    try {
      if (isBinary) blocks = decodeBlocks(data as Buffer[]);
      else reports = fetchReports.parse(JSON.parse(String(data)));
    } catch {
      // A peer of another version: the next connection may reach the right one.
      socket.terminate();
      return;
    }
    for (const block of blocks) this.#options.onBlock(block);
    for (const report of reports) this.#options.onReport(report);
  }

  #lost(socket: WebSocket): void {
    if (socket !== this.#socket) return;
    this.#sender = undefined;
    this.#lostAt ??= performance.now();
    clearTimeout(this.#silence);
    this.#reconnect();
  }

  #reconnect(): void {
    if (this.#isClosed) return;
    this.#timer = setTimeout(() => void this.#connect(), this.#pauseMs);
    this.#pauseMs = Math.min(2 * this.#pauseMs, reconnectMsMax);
  }
}
