import type { IncomingMessage, ServerResponse } from 'node:http';

/** Limits of a body that arrives after its response. */
export interface EarlyAnswerLimits {
  /** Bytes that are received and discarded. */
  readonly bytesMax: number;
  /** Milliseconds for receiving them. */
  readonly timeMsMax: number;
  /** Milliseconds between the end of the own side of the connection and its reset. */
  readonly lingerMs: number;
}

/** Within these limits a browser on a fast line sends the rest of most files. */
const earlyAnswerLimits: EarlyAnswerLimits = { bytesMax: 64 * 1024 * 1024, timeMsMax: 5000, lingerMs: 1000 };

/** Prepares an early response. Call it before the head of a response to a request whose body is still arriving. */
export function announceEarlyAnswer(request: IncomingMessage, response: ServerResponse): void {
  // With `close` Node would end the connection after the response. Bytes that still arrive would then reset it, and the
  // client would lose the response.
  if (!response.headersSent && !request.complete) response.setHeader('connection', 'keep-alive');
}

/**
 * Lets a client that is still sending read its response. Call it after the response is written. Most clients read
 * while they send. Chromium reads once it has sent everything, or when it can send no more. The rest of the body is
 * therefore discarded, up to the limits. Beyond them the own side of the connection is ended and nothing more is
 * received. A moment later the connection is reset: by then the response has arrived, and a client whose next write
 * fails reads it.
 */
export function discardBody(
  request: IncomingMessage,
  { bytesMax, timeMsMax, lingerMs }: EarlyAnswerLimits = earlyAnswerLimits,
): void {
  if (request.complete || request.destroyed) return;
  const { socket, headers } = request;
  let taken = 0;
  const stop = () => {
    clearTimeout(timer);
    request.off('data', onData).pause();
    socket.end();
    const reset = setTimeout(() => socket.destroy(), lingerMs).unref();
    socket.once('close', () => clearTimeout(reset));
  };
  const timer = setTimeout(stop, timeMsMax).unref();
  const onData = (chunk: Buffer) => {
    taken += chunk.length;
    if (taken > bytesMax) stop();
  };
  request.once('end', () => {
    clearTimeout(timer);
    if (headers.connection?.toLowerCase() === 'close') socket.end();
  });
  request.once('close', () => clearTimeout(timer));
  request.on('error', () => {});
  request.on('data', onData);
  request.resume();
}
