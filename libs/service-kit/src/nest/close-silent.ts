import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/**
 * Handles a connection without traffic. It is closed where the client is silent: where the rest of the request or the reading of
 * the response is missing. It stays open where the service works on the response, which may take hours: a client that lost its
 * network is then found by TCP keep-alive.
 */
export function closeSilent(request: IncomingMessage, response: ServerResponse): void {
  response.on('timeout', (socket: Socket) => {
    if (!isServiceBusy(request, response)) return void socket.destroy();
    // Node has ended the timer.
    socket.setKeepAlive(true, socket.timeout).setTimeout(socket.timeout ?? 0);
  });
}

/** Reports whether the service has input to work on and has sent all output. */
function isServiceBusy(request: IncomingMessage, response: ServerResponse): boolean {
  return (request.complete || request.readableLength > 0) && response.writableLength === 0 && !response.writableEnded;
}
