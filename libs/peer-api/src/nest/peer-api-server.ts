import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import type { BufferPool } from '@cairn/blockstore/core';
import { isCairnError } from '@cairn/errors';
import { WebSocketServer } from 'ws';
import { PeerApiError, wireErrorFrom } from '../errors.ts';
import { peerApiLimits } from '../limits.ts';
import type { PeerApi } from '../peer-api.ts';
import { answerCall } from '../server/answer-call.ts';
import { FetchConnection, type StoreBlock } from '../server/fetch-connection.ts';
import { callPath, fetchPath } from '../wire/calls.ts';
import { encodeJson } from '../wire/json.ts';

export interface PeerApiServerOptions {
  readonly api: PeerApi;
  /** Requires a valid service token. Any error refuses the request. */
  readonly requireToken: (token: string) => Promise<void>;
  /** Stores blocks for services that need no bytes. Absent if the peer has no store in common with them. */
  readonly store?: StoreBlock | undefined;
  /** Pool in which `api` receives blocks, and to which `store` gives their buffers back. */
  readonly buffers?: BufferPool | undefined;
  /** Called with faults of calls and connections. */
  readonly onError: (error: unknown) => void;
}

/** Status of an error that the caller caused; others are faults of the peer. */
const statuses: ReadonlyMap<string, number> = new Map([
  ['CREDENTIALS_INVALID', 401],
  ['PEER_REQUEST_INVALID', 400],
  ['PEER_FETCHES_EXCEEDED', 429],
  ['PEER_FAULT', 500],
]);

/** Serves a {@link PeerApi} to other processes: calls over HTTP, fetches over WebSocket. Each request needs a token. */
export class PeerApiServer {
  readonly #options: PeerApiServerOptions;
  readonly #sockets: WebSocketServer;
  #calls = 0;

  constructor(options: PeerApiServerOptions) {
    this.#options = options;
    this.#sockets = new WebSocketServer({
      noServer: true,
      clientTracking: true,
      perMessageDeflate: false,
      maxPayload: peerApiLimits.messageBytesMax,
    });
  }

  /** Takes a request of the protocol, or returns false. */
  handleRequest(request: IncomingMessage, response: ServerResponse): boolean {
    if (!request.url?.startsWith(callPath)) return false;
    this.#answer(request, response).catch((error: unknown) => {
      // The rest of a long call is not read: a further call on the connection would wait behind it.
      if (!request.complete && !response.headersSent) response.setHeader('connection', 'close');
      this.#fail(error, response);
    });
    return true;
  }

  /** Takes the upgrade of a fetch connection, or returns false. */
  handleUpgrade(request: IncomingMessage, socket: Duplex, head: Buffer): boolean {
    if (request.url !== fetchPath) return false;
    socket.once('error', () => socket.destroy());
    this.#upgrade(request, socket, head).catch((error: unknown) => {
      const status = isCairnError(error, 'CREDENTIALS_INVALID') ? '401 Unauthorized' : '503 Service Unavailable';
      socket.end(`HTTP/1.1 ${status}\r\nconnection: close\r\ncontent-length: 0\r\n\r\n`);
    });
    return true;
  }

  /** Closes the fetch connections. The services open new ones when the next process listens. */
  close(): void {
    for (const socket of this.#sockets.clients) socket.close(1001, 'the IPFS peer is shutting down');
    this.#sockets.close();
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    await this.#options.requireToken(tokenOf(request));
    if (request.method !== 'POST') throw new PeerApiError('PEER_REQUEST_INVALID', 'A call is sent with POST.');
    if (this.#calls >= peerApiLimits.callsMax) throw tooManyCalls();
    this.#calls++;
    const ended = new AbortController();
    response.once('close', () => ended.abort(new PeerApiError('PEER_CLOSED', 'The service ended the call.')));
    try {
      const name = (request.url ?? '').slice(callPath.length);
      const answer = answerCall(this.#options.api, name, await bodyOf(request), ended.signal);
      if ('value' in answer) sendJson(response, 200, encodeJson({ value: (await answer.value) ?? null }));
      else await this.#stream(response, answer.items, ended.signal);
    } finally {
      this.#calls--;
    }
  }

  /** Sends one JSON value per line, with back-pressure. The last line tells a complete stream from a broken one. */
  async #stream(response: ServerResponse, items: AsyncIterable<unknown>, signal: AbortSignal): Promise<void> {
    response.writeHead(200, { 'content-type': 'application/x-ndjson' });
    response.flushHeaders();
    try {
      for await (const value of items) {
        signal.throwIfAborted();
        if (!response.write(`${encodeJson({ value })}\n`)) await drained(response, signal);
      }
      response.end('{"end":true}\n');
    } catch (error) {
      this.#report(error);
      response.end(`${encodeJson({ error: wireErrorFrom(error) })}\n`);
    }
  }

  #fail(error: unknown, response: ServerResponse): void {
    if (response.destroyed) return;
    this.#report(error);
    const wire = wireErrorFrom(error);
    sendJson(response, statuses.get(wire.code) ?? 422, encodeJson({ error: wire }));
  }

  #report(error: unknown): void {
    if (!isCairnError(error)) this.#options.onError(error);
  }

  async #upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): Promise<void> {
    await this.#options.requireToken(tokenOf(request));
    if (this.#sockets.clients.size >= peerApiLimits.connectionsMax) throw tooManyCalls();
    this.#sockets.handleUpgrade(request, socket, head, (webSocket) => {
      const { api, store, buffers, onError } = this.#options;
      new FetchConnection(webSocket, { exchange: api.exchange, store, buffers, onError });
    });
  }
}

function tokenOf({ headers: { authorization = '' } }: IncomingMessage): string {
  return authorization.startsWith('Bearer ') ? authorization.slice('Bearer '.length) : '';
}

function tooManyCalls(): PeerApiError {
  return new PeerApiError('PEER_FETCHES_EXCEEDED', 'The IPFS peer has too many open calls.', {
    hint: 'Try again when others have ended.',
  });
}

async function bodyOf(request: IncomingMessage): Promise<string> {
  const parts: Buffer[] = [];
  let length = 0;
  for await (const part of request.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
    length += part.length;
    if (length > peerApiLimits.requestBytesMax) throw new PeerApiError('PEER_REQUEST_INVALID', 'The call is too long.');
    parts.push(part);
  }
  return Buffer.concat(parts).toString();
}

function sendJson(response: ServerResponse, status: number, body: string): void {
  response.writeHead(status, { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) });
  response.end(body);
}

function drained(response: ServerResponse, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const onDrain = () => {
      signal.removeEventListener('abort', onAbort);
      resolve();
    };
    const onAbort = () => {
      response.off('drain', onDrain);
      reject(signal.reason);
    };
    response.once('drain', onDrain);
    signal.addEventListener('abort', onAbort, { once: true });
  });
}
