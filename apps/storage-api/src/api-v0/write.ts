import type { ServerResponse } from 'node:http';

/** Writes a chunk and waits while the client is slow. @throws the reason of the signal when the client goes away */
export async function write(response: ServerResponse, chunk: Uint8Array | string, signal: AbortSignal): Promise<void> {
  signal.throwIfAborted();
  if (response.write(chunk)) return;
  await new Promise<void>((resolve, reject) => {
    const done = () => {
      response.off('drain', done);
      signal.removeEventListener('abort', abort);
      resolve();
    };
    const abort = () => {
      response.off('drain', done);
      reject(signal.reason);
    };
    response.once('drain', done);
    signal.addEventListener('abort', abort, { once: true });
  });
}

/** Headers of Kubo's streams of JSON lines. */
export const jsonLinesHeaders = { 'content-type': 'application/json', 'x-chunked-output': '1' } as const;

/** Sends one JSON value as the whole answer. */
export function sendJson(response: ServerResponse, value: unknown): void {
  const body = `${JSON.stringify(value)}\n`;
  response.writeHead(200, { ...jsonLinesHeaders, 'content-length': Buffer.byteLength(body) });
  response.end(body);
}
