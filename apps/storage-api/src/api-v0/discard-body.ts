import type { IncomingMessage } from 'node:http';

const bytesMax = 32 * 1024 * 1024;
const waitMs = 2000;

/**
 * Lets a client that is still sending read its answer: takes a little more of the body and throws it away. A client that
 * goes on for longer is cut off; closing at once would reset the connection, and most clients would not see why.
 */
export function discardBody(request: IncomingMessage): void {
  let taken = 0;
  const { socket, headers } = request;
  const timer = setTimeout(() => socket.destroy(), waitMs);
  request.once('end', () => {
    clearTimeout(timer);
    if (headers.connection?.toLowerCase() === 'close') socket.end();
  });
  request.once('close', () => clearTimeout(timer));
  request.on('data', (chunk: Buffer) => {
    taken += chunk.length;
    if (taken > bytesMax) socket.destroy();
  });
  request.resume();
}
