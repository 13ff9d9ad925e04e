import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import { isAmbiguous } from '../ambiguous-fields.ts';
import { answerHealth, type Dependency } from '../health.ts';
import { useOriginForm } from '../origin-form.ts';
import type { RawHttp } from '../raw-http.ts';
import { closeSilent } from './close-silent.ts';
import { asksForWebSocket, ignoreUpgrade } from './ignored-upgrade.ts';
import { UpgradeOrder } from './upgrade-order.ts';

/** Milliseconds without traffic after which a connection is closed, unless the service works on a response. */
const idleMs = 120_000;
/** Milliseconds after which a connection without a further request is closed. */
export const keepAliveMs = 75_000;
/** HSTS (RFC 6797): browsers return over TLS only, for a year. */
const transportSecurity = 'max-age=31536000';

/** Statuses of requests that Node cannot parse, by error code. */
const clientErrors: Readonly<Record<string, string>> = {
  HPE_HEADER_OVERFLOW: '431 Request Header Fields Too Large',
  ERR_HTTP_REQUEST_TIMEOUT: '408 Request Timeout',
};

/** Node's parser refuses bytes outside ASCII in the target, which `curl` sends as they are typed. */
const urlAdvice =
  'the URL of the request has a character that is not allowed; percent-encode it, such as %C3%BC for U+00FC';

/** Progress of a shutdown. */
export interface DrainState {
  readonly isDraining: boolean;
  /** Connections whose last response promised to keep them may send one more request. */
  readonly isLingering: boolean;
}

export interface TakeRequestsOptions {
  readonly server: Server;
  readonly raw: RawHttp;
  readonly state: DrainState;
  readonly dependencies: () => readonly Dependency[];
  readonly isTls: boolean;
  /** Concurrent connections of this process. Default: no limit. */
  readonly connectionsMax?: number | undefined;
}

/** Requests of a server, as {@link takeRequests} counts them. */
export interface TakenRequests {
  /** Requests whose response has not ended. Requests of health and upgraded connections do not count. */
  readonly inFlight: number;
}

/** Puts health and the raw handlers before the listeners of the HTTP adapter. */
export function takeRequests({
  server,
  raw,
  state,
  dependencies,
  isTls,
  connectionsMax,
}: TakeRequestsOptions): TakenRequests {
  const taken = { inFlight: 0 };
  const express = server.listeners('request') as ((request: IncomingMessage, response: ServerResponse) => void)[];
  server.removeAllListeners('request');
  const order = new UpgradeOrder();
  const onRequest = (request: IncomingMessage, response: ServerResponse) => {
    order.began(request, response);
    closeSilent(request, response);
    if (isAmbiguous(request)) return void response.writeHead(400, { connection: 'close', 'content-length': 0 }).end();
    useOriginForm(request);
    response.setHeader('x-content-type-options', 'nosniff');
    if (isTls) response.setHeader('strict-transport-security', transportSecurity);
    if (state.isDraining) response.setHeader('connection', 'close');
    // A response that began before the signal may have promised to keep its connection. The connection is ended after
    // the response is flushed; closeIdleConnections would cut off buffered bytes.
    response.once('finish', () => {
      if (state.isDraining && !state.isLingering) request.socket.end();
    });
    if (answerHealth(request, response, dependencies)) return;
    taken.inFlight++;
    // Emitted once, also when the connection ends before the response.
    response.once('close', () => {
      taken.inFlight--;
    });
    if (raw.handleRequest(request, response)) return;
    for (const listener of express) listener(request, response);
  };
  server.on('request', onRequest);
  // The handler decides whether a client with `Expect: 100-continue` may send its body.
  server.on('checkContinue', onRequest);
  server.on('upgrade', (request: IncomingMessage, socket: Duplex, head: Buffer) => {
    const destroy = () => socket.destroy();
    socket.on('error', destroy);
    order.after(socket, () => {
      if (!asksForWebSocket(request)) {
        // The listeners of the next parser follow.
        socket.off('error', destroy);
        return ignoreUpgrade(server, request, socket, head);
      }
      useOriginForm(request);
      if (!state.isDraining && !isAmbiguous(request) && raw.handleUpgrade?.(request, socket, head)) return;
      socket.end('HTTP/1.1 400 Bad Request\r\nconnection: close\r\ncontent-length: 0\r\n\r\n');
    });
  });
  server.on('clientError', (error: Error & { readonly code?: string }, socket: Duplex) => {
    const status = clientErrors[error.code ?? ''] ?? '400 Bad Request';
    // Before the end of a TLS handshake nothing can be sent: `end` would wait for it and keep the connection open.
    const isHandshake = /^(ERR_TLS|ERR_SSL|EPROTO)/.test(error.code ?? '');
    // The body begins with the status, as that of Go's server: clients show an error by its body.
    const body = error.code === 'HPE_INVALID_URL' ? `${status}: ${urlAdvice}` : status;
    const fields = `connection: close\r\ncontent-type: text/plain; charset=utf-8\r\ncontent-length: ${body.length}`;
    if (socket.writable && !isHandshake) socket.end(`HTTP/1.1 ${status}\r\n${fields}\r\n\r\n${body}`);
    else socket.destroy();
  });
  if (connectionsMax !== undefined) server.maxConnections = connectionsMax;
  // An upload may take hours as long as bytes arrive; headers have a deadline.
  server.requestTimeout = 0;
  server.headersTimeout = 30_000;
  server.keepAliveTimeout = keepAliveMs;
  server.setTimeout(idleMs);
  return taken;
}
