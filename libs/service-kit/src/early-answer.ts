import type { IncomingMessage, ServerResponse } from 'node:http';

/** Limits of a body that arrives after its answer. */
export interface EarlyAnswerLimits {
  /** Bytes that are received and thrown away. */
  readonly bytesMax: number;
  /** Milliseconds that they may take. */
  readonly timeMsMax: number;
  /** Milliseconds from the end of the own side of the connection to its end. */
  readonly lingerMs: number;
}

/** A browser on a fast line sends the rest of most files within these. */
const earlyAnswerLimits: EarlyAnswerLimits = { bytesMax: 64 * 1024 * 1024, timeMsMax: 5000, lingerMs: 1000 };

/** Call before the head of an answer to a request whose body is still arriving. */
export function announceEarlyAnswer(request: IncomingMessage, response: ServerResponse): void {
  // With `close` Node would end the connection after the answer: the reset by what the client still sends takes the answer with it.
  if (!response.headersSent && !request.complete) response.setHeader('connection', 'keep-alive');
}

/**
 * Lets a client that is still sending read its answer; call it when the answer is handed over. Clients read while they send,
 * except browsers: Chromium reads once it has sent all, or when it can send no more. So the rest of the body is thrown away up
 * to the limits. Beyond them the own side of the connection is ended, nothing more is received, and a moment later the
 * connection is reset: by then the answer has arrived, and a client whose next write fails reads it.
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
