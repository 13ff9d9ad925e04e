import type { Socket } from 'node:net';
import { type PlainHead, parsePlainHead } from './plain-head.ts';
import { answerBytes, type PlainHandler, type PlainRequest } from './plain-request.ts';

export interface PlainConnectionOptions {
  readonly handler: PlainHandler;
  /** A connection on which nothing moves for this long is closed. */
  readonly keepAliveMs: number;
  /** Takes the connection over, for good, with what it has sent and has not been answered. */
  readonly handOver: (socket: Socket, unread: Buffer) => void;
  readonly onClose: (connection: PlainConnection) => void;
}

/** Longer heads are left to the full parser, which has a limit of its own. */
const headBytesMax = 8192;
const headEnd = Buffer.from('\r\n\r\n');

/**
 * One connection that sends plain requests only. The first one that is not plain, or does not come whole at once, hands
 * the connection over.
 */
export class PlainConnection {
  readonly #socket: Socket;
  readonly #options: PlainConnectionOptions;
  /** What came after the request that is being answered. */
  #unread: Buffer | undefined;
  #request: Request | undefined;
  #isDraining = false;
  /** The last head and what it says: clients send the same one again and again. */
  #headText = '';
  #head: PlainHead | undefined;

  constructor(socket: Socket, options: PlainConnectionOptions) {
    this.#socket = socket;
    this.#options = options;
    socket.setTimeout(options.keepAliveMs, this.#onTimeout);
    socket.on('data', this.#onData).on('end', this.#onEnd).on('error', this.#onError).on('close', this.#onClose);
  }

  /** Ends it as soon as nothing is being answered. */
  drain(): void {
    this.#isDraining = true;
    if (this.#request === undefined) this.#socket.end();
  }

  destroy(): void {
    this.#socket.destroy();
  }

  readonly #onData = (bytes: Buffer): void => {
    if (this.#request === undefined) {
      this.#read(bytes);
      return;
    }
    // The next one before this one is answered: it waits, and what follows it waits in the socket.
    this.#unread = this.#unread === undefined ? bytes : Buffer.concat([this.#unread, bytes]);
    this.#socket.pause();
  };

  readonly #onTimeout = (): void => {
    if (this.#request === undefined || this.#socket.writableLength > 0) this.#socket.destroy();
  };

  /** A client that has ended its side waits for no answer, as Node's own server sees it. */
  readonly #onEnd = (): void => {
    this.#request?.abort();
    this.#socket.end();
  };

  readonly #onError = (): void => {
    this.#socket.destroy();
  };

  readonly #onClose = (): void => {
    this.#request?.abort();
    this.#options.onClose(this);
  };

  #read(bytes: Buffer): void {
    const end = bytes.indexOf(headEnd);
    const head = end === -1 || end > headBytesMax ? undefined : this.#headOf(bytes.toString('latin1', 0, end));
    const start = end + headEnd.length;
    if (head === undefined || bytes.length < start + head.contentLength || !this.#options.handler.takes(head.path)) {
      this.#handOver(bytes);
      return;
    }
    const stop = start + head.contentLength;
    if (bytes.length > stop) this.#unread = bytes.subarray(stop);
    this.#request = new Request(head, bytes.subarray(start, stop));
    this.#answer(this.#request).catch(this.#onError);
  }

  #headOf(text: string): PlainHead | undefined {
    if (text !== this.#headText) {
      this.#headText = text;
      this.#head = parsePlainHead(text);
    }
    return this.#head;
  }

  async #answer(request: Request): Promise<void> {
    const { handler, keepAliveMs } = this.#options;
    const answer = await handler.answer(request);
    const socket = this.#socket;
    if (!socket.writable) return;
    const keepsAlive = !this.#isDraining;
    const bytes = answerBytes(answer, { keepsAlive, keepAliveSeconds: keepAliveMs / 1000 });
    if (!keepsAlive) {
      socket.end(bytes, 'latin1');
      return;
    }
    const isSent = socket.write(bytes, 'latin1');
    if (isSent) this.#next();
    // A client that does not read its answers gets no further ones.
    else socket.pause().once('drain', () => this.#next());
  }

  #next(): void {
    this.#request = undefined;
    const unread = this.#unread;
    this.#unread = undefined;
    if (this.#isDraining) {
      this.#socket.end();
      return;
    }
    this.#socket.resume();
    if (unread !== undefined) this.#read(unread);
  }

  #handOver(unread: Buffer): void {
    const socket = this.#socket;
    socket.off('data', this.#onData).off('end', this.#onEnd).off('error', this.#onError).off('close', this.#onClose);
    socket.setTimeout(0, this.#onTimeout);
    this.#options.onClose(this);
    this.#options.handOver(socket, unread);
  }
}

class Request implements PlainRequest {
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
  #abort: AbortController | undefined;
  #isAborted = false;

  constructor({ path, headers }: PlainHead, body: Buffer) {
    this.path = path;
    this.headers = headers;
    this.body = body;
  }

  /** Made when it is asked for: few requests do. */
  get signal(): AbortSignal {
    this.#abort ??= new AbortController();
    if (this.#isAborted) this.abort();
    return this.#abort.signal;
  }

  abort(): void {
    this.#isAborted = true;
    this.#abort?.abort(new Error('the client closed the connection'));
  }
}
