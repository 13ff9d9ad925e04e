import type { IncomingMessage, Server } from 'node:http';
import type { Duplex } from 'node:stream';
import { Server as TlsServer } from 'node:tls';

/** Fields and connection options by which a client offers another protocol (RFC 9110, section 7.8, and h2c). */
const offers = new Set(['upgrade', 'http2-settings']);

/** Reports whether a client asks for a WebSocket, the only protocol that services change to. */
export function asksForWebSocket({ headers }: IncomingMessage): boolean {
  return /(^|[,\s])websocket($|[,\s/])/i.test(headers.upgrade ?? '');
}

/**
 * Serves a request without the upgrade that it offers, as RFC 9110 requires for an unknown protocol: the HTTP client of
 * Java and `curl --http2` offer h2c. Node has detached its parser, so the connection starts again with the rest of the
 * request.
 */
export function ignoreUpgrade(server: Server, request: IncomingMessage, socket: Duplex, unread: Buffer): void {
  const head = Buffer.from(headWithoutOffers(request), 'latin1');
  // Paused, since the listeners would otherwise read before the received bytes are put back.
  socket.pause();
  server.emit(server instanceof TlsServer ? 'secureConnection' : 'connection', socket);
  socket.unshift(Buffer.concat([head, unread]));
  socket.resume();
}

function headWithoutOffers({ method, url, httpVersion, rawHeaders }: IncomingMessage): string {
  const lines = [`${method} ${url} HTTP/${httpVersion}`];
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const [name = '', value = ''] = rawHeaders.slice(at, at + 2);
    const kept = name.toLowerCase() === 'connection' ? optionsWithoutOffers(value) : value;
    if (!offers.has(name.toLowerCase()) && kept !== undefined) lines.push(`${name}: ${kept}`);
  }
  return `${lines.join('\r\n')}\r\n\r\n`;
}

/** Options of a Connection field; `undefined` if none is left. */
function optionsWithoutOffers(value: string): string | undefined {
  const options = value.split(',').map((option) => option.trim());
  const kept = options.filter((option) => option !== '' && !offers.has(option.toLowerCase()));
  return kept.length === 0 ? undefined : kept.join(', ');
}
