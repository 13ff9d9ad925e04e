import type { IncomingMessage } from 'node:http';

const bytesMax = 1024 * 1024;
const waitMs = 2000;

/**
 * Lets a client that is still sending read its answer: takes a little more of the body, then closes the connection.
 * Closing at once would reset it, and most clients would then not see why.
 */
export function discardBody(request: IncomingMessage): void {
  let taken = 0;
  const { socket } = request;
  const timer = setTimeout(() => socket.destroy(), waitMs);
  socket.once('close', () => clearTimeout(timer));
  request.on('data', (chunk: Buffer) => {
    taken += chunk.length;
    if (taken > bytesMax) socket.destroy();
  });
  request.resume();
}
