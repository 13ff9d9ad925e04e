import type { ServerResponse } from 'node:http';

/** Milliseconds in which the client takes the bytes that were written before the failure. */
const drainMs = 10_000;

/**
 * Ends a response whose body is incomplete. The client gets the bytes that were written, without the end of the body, and so
 * detects the failure. A body of HTTP/1.0 without a length ends with the connection: only a reset reports its failure.
 */
export function cutResponse(response: ServerResponse): void {
  const { socket } = response;
  // Node keeps the fields of `writeHead` only if a field was set before, as `x-request-id` is.
  const isFramed = response.chunkedEncoding || response.hasHeader('content-length');
  if (socket === null || socket.destroyed) response.destroy();
  else if (isFramed) {
    response.flushHeaders();
    const timer = setTimeout(() => response.destroy(), drainMs).unref();
    response.once('close', () => clearTimeout(timer));
    socket.destroySoon();
  } else if ('encrypted' in socket) response.destroy();
  else socket.resetAndDestroy();
}
