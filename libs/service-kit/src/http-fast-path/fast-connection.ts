import type { Socket } from 'node:net';
import { withEncodedTarget } from './encoded-target.ts';
import { answerInBatch, type BatchMember, sendInBatch } from './fast-batch.ts';
import { type FastHead, parsePlainHead } from './fast-head.ts';
import { answerBytes, type FastAnswer, type FastHandler, type FastRequest } from './fast-request.ts';
import { type SharedReads, shareReads } from './shared-reads.ts';

export interface PlainConnectionOptions {
  readonly handler: FastHandler;
  /** Milliseconds without traffic after which a connection is closed. */
  readonly keepAliveMs: number;
  /** Takes over the connection permanently, with the bytes that were received and not yet answered. */
  readonly handOver: (socket: Socket, unread: Buffer) => void;
  readonly onClose: (connection: FastConnection) => void;
}

/** Longer heads go to the full parser, which has its own limit. */
const headBytesMax = 8192;
const headEnd = Buffer.from('\r\n\r\n');
/** Bytes of pipelined requests from which their connection is read no further: as many as the stream of a socket buffers. */
const unreadBytesMax = 16 * 1024;

/**
 * One connection of plain requests. The first request that is not plain, or does not arrive in one piece, hands the
 * connection over to the full parser.
 */
export class FastConnection implements BatchMember {
  readonly #socket: Socket;
  /** Passes received bytes without events; `undefined` for a socket that emits them, such as one with encryption. */
  readonly #reads: SharedReads | undefined;
  readonly #remoteAddress: string | undefined;
  readonly #options: PlainConnectionOptions;
  /** The request that waits for its batch, is being answered, or whose answer is not sent yet. */
  #request: Request | undefined;
  /** Head and body of that request while it waits for its batch. */
  #waiting: Buffer | undefined;
  /** Bytes after that request. */
  #unread: Buffer | undefined;
  #answer: FastAnswer | undefined;
  #isDraining = false;
  #isHandedOver = false;
  /** True after the client has ended its side. */
  #hasEnded = false;
  /** The last head and its parsed form: clients repeat the same head. */
  #headText = '';
  #head: FastHead | undefined;

  constructor(accepted: Socket, options: PlainConnectionOptions) {
    this.#reads = shareReads(accepted, (bytes) => this.#onData(bytes));
    const socket = this.#reads?.socket ?? accepted;
    this.#socket = socket;
    // Read once: the getter takes longer than the property of an object.
    this.#remoteAddress = socket.remoteAddress;
    this.#options = options;
    socket.setTimeout(options.keepAliveMs);
    if (this.#reads === undefined) socket.on('data', this.#onData);
    socket.on('timeout', this.#onTimeout).on('end', this.#onEnd).on('error', this.#onError).on('close', this.#onClose);
  }

  /** Whether a request has no response yet, or its client reads the response slowly. */
  get isAnswering(): boolean {
    return this.#request !== undefined;
  }

  /** Ends the connection as soon as no request is being answered. `lingers`: it ends after the next response instead. */
  drain({ lingers }: { readonly lingers: boolean }): void {
    this.#isDraining = true;
    if (this.#request === undefined && !lingers) this.#socket.end();
  }

  destroy(): void {
    this.#socket.destroy();
  }

  readonly #onData = (bytes: Buffer): void => {
    // Nothing is answered on a connection that this side has ended.
    if (!this.#socket.writable) return;
    if (this.#request === undefined) {
      this.#receive(bytes);
      return;
    }
    // Pipelined requests wait. The socket is read on, since a paused one does not notice that its client disconnects.
    this.#unread = this.#unread === undefined ? bytes : Buffer.concat([this.#unread, bytes]);
    if (this.#unread.length > unreadBytesMax) this.#socket.pause();
  };

  #receive(bytes: Buffer): void {
    const taken = this.#take(bytes);
    if (taken === undefined) {
      this.#handOver(bytes);
      return;
    }
    this.#request = taken.request;
    this.#waiting = taken.bytes;
    this.#unread = taken.unread;
    answerInBatch(this);
  }

  readonly #onTimeout = (): void => {
    if (this.#request === undefined || this.#socket.writableLength > 0) this.#socket.destroy();
  };

  /** A client that has ended its side gets no response, as with Node's own server, unless there already is one. */
  readonly #onEnd = (): void => {
    this.#hasEnded = true;
    do {
      this.answerReceived();
      this.sendAnswer();
    } while (this.#waiting !== undefined);
    this.#request?.abort();
    if (!this.#isHandedOver) this.#socket.end();
  };

  readonly #onError = (): void => {
    this.#socket.destroy();
  };

  readonly #onClose = (): void => {
    this.#request?.abort();
    this.#options.onClose(this);
  };

  /** Parses the first request of the received bytes; `undefined` where it is not plain or not complete. */
  #take(bytes: Buffer): Taken | undefined {
    const end = bytes.indexOf(headEnd);
    const head = end === -1 || end > headBytesMax ? undefined : this.#headOf(bytes.toString('latin1', 0, end));
    if (head === undefined || !this.#options.handler.takes(head.path)) return undefined;
    const start = end + headEnd.length;
    const stop = start + head.contentLength;
    if (bytes.length < stop) return undefined;
    const unread = bytes.length > stop ? bytes.subarray(stop) : undefined;
    const request = new Request(this.#socket, this.#remoteAddress, head, bytes.subarray(start, stop));
    return { request, bytes: bytes.subarray(0, stop), unread };
  }

  answerReceived(): void {
    const request = this.#request;
    const bytes = this.#waiting;
    this.#waiting = undefined;
    if (request === undefined || bytes === undefined || this.#socket.destroyed) return;
    try {
      const answer = this.#options.handler.answer(request);
      if (answer instanceof Promise) answer.then((made) => this.#finish(made, bytes)).catch(this.#onError);
      else this.#finish(answer, bytes);
    } catch {
      this.#socket.destroy();
    }
  }

  #finish(answer: FastAnswer | undefined, bytes: Buffer): void {
    if (answer === undefined) this.#leave(bytes);
    else {
      this.#answer = answer;
      sendInBatch(this);
    }
  }

  /** Leaves a request, and what arrived after it, to the full parser. */
  #leave(bytes: Buffer): void {
    const unread = this.#unread;
    this.#request = undefined;
    this.#unread = undefined;
    if (this.#socket.destroyed) return;
    this.#handOver(unread === undefined ? bytes : Buffer.concat([bytes, unread]));
  }

  #headOf(text: string): FastHead | undefined {
    if (text !== this.#headText) {
      this.#headText = text;
      this.#head = parsePlainHead(text);
    }
    return this.#head;
  }

  sendAnswer(): void {
    const answer = this.#answer;
    if (answer === undefined) return;
    this.#answer = undefined;
    try {
      this.#send(answer);
    } catch {
      this.#socket.destroy();
    }
  }

  #send(answer: FastAnswer): void {
    const socket = this.#socket;
    if (!socket.writable) {
      answer.onSent?.(false);
      return;
    }
    const keepsAlive = !this.#isDraining;
    const bytes = answerBytes(answer, { keepsAlive, keepAliveSeconds: this.#options.keepAliveMs / 1000 });
    if (!keepsAlive) {
      this.#end(bytes);
      answer.onSent?.(true);
      return;
    }
    const hasRoom = socket.write(bytes, 'latin1');
    answer.onSent?.(true);
    if (hasRoom) this.#next();
    // A client that does not read its responses gets no further ones.
    else socket.once('drain', () => this.#next());
  }

  #next(): void {
    if (this.#isDraining) {
      this.#end();
      return;
    }
    this.#request = undefined;
    const unread = this.#unread;
    this.#unread = undefined;
    if (this.#socket.isPaused()) this.#socket.resume();
    if (unread !== undefined) this.#receive(unread);
  }

  /** Ends this side, and reads on: a paused socket would not notice that the client ends its side too. */
  #end(last: string | Buffer = ''): void {
    this.#request = undefined;
    this.#unread = undefined;
    this.#socket.end(last, 'latin1');
    if (this.#socket.isPaused()) this.#socket.resume();
  }

  #handOver(unread: Buffer): void {
    const socket = this.#socket;
    // Bytes cannot be put back into a socket after its end.
    if (this.#hasEnded) {
      socket.end();
      return;
    }
    this.#isHandedOver = true;
    this.#reads?.release();
    socket.off('data', this.#onData).off('end', this.#onEnd).off('error', this.#onError).off('close', this.#onClose);
    socket.setTimeout(0).off('timeout', this.#onTimeout);
    this.#options.onClose(this);
    this.#options.handOver(socket, withEncodedTarget(unread));
  }
}

interface Taken {
  readonly request: Request;
  /** Head and body of this request. */
  readonly bytes: Buffer;
  /** Bytes after this request. */
  readonly unread: Buffer | undefined;
}

class Request implements FastRequest {
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
  readonly remoteAddress: string | undefined;
  readonly #socket: Socket;
  #abort: AbortController | undefined;
  #isAborted = false;

  constructor(socket: Socket, remoteAddress: string | undefined, { path, headers }: FastHead, body: Buffer) {
    this.#socket = socket;
    this.remoteAddress = remoteAddress;
    this.path = path;
    this.headers = headers;
    this.body = body;
  }

  get socket(): Socket {
    return this.#socket;
  }

  /** Created on demand: few requests use it. */
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
