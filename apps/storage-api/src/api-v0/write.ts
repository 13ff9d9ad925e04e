import { once } from 'node:events';
import type { ServerResponse } from 'node:http';

/**
 * Headers of every streamed answer of Kubo. What goes wrong after the first byte is told in the trailer: see
 * `failStream`.
 */
export const streamHeaders = { 'x-stream-output': '1', trailer: 'X-Stream-Error' } as const;

/** Headers of Kubo's streams of JSON lines. */
export const jsonLinesHeaders = {
  'content-type': 'application/json',
  'x-chunked-output': '1',
  trailer: 'X-Stream-Error',
} as const;

/** Bytes that may wait for the client: the next blocks are read and hashed while the last ones are on their way. */
const aheadBytesMax = 512 * 1024;

/** Writes a chunk and waits while the client is slow. @throws the reason of the signal when the client goes away */
export async function write(response: ServerResponse, chunk: Uint8Array | string, signal: AbortSignal): Promise<void> {
  signal.throwIfAborted();
  if (response.write(chunk) || response.writableLength < aheadBytesMax) return;
  try {
    await once(response, 'drain', { signal });
  } catch (error) {
    signal.throwIfAborted();
    throw error;
  }
}

/** Writes one line of a stream of JSON, the headers first. @throws the reason of the signal */
export async function writeLine(response: ServerResponse, value: unknown, signal: AbortSignal): Promise<void> {
  if (!response.headersSent) response.writeHead(200, jsonLinesHeaders);
  await write(response, `${JSON.stringify(value)}\n`, signal);
}

/** Ends a stream of JSON lines, also one without any. */
export function endLines(response: ServerResponse): void {
  if (!response.headersSent) response.writeHead(200, jsonLinesHeaders);
  response.end();
}

/** Sends one JSON value as the whole answer. */
export function sendJson(response: ServerResponse, value: unknown): void {
  const body = `${JSON.stringify(value)}\n`;
  response.writeHead(200, {
    'content-type': 'application/json',
    'x-chunked-output': '1',
    'content-length': Buffer.byteLength(body),
  });
  response.end(body);
}

/** Answers a command that has nothing to say. */
export function sendNothing(response: ServerResponse): void {
  response.writeHead(200, { 'content-type': 'text/plain', 'content-length': 0 });
  response.end();
}

/**
 * Streams bytes as the answer. The headers go out with the first bytes, so that what goes wrong before them is still an
 * error of its own.
 */
export async function sendBytes(
  response: ServerResponse,
  source: AsyncGenerator<Uint8Array>,
  length: number,
  signal: AbortSignal,
): Promise<void> {
  const first = await source.next();
  response.writeHead(200, {
    ...streamHeaders,
    'content-type': 'text/plain',
    'x-content-type-options': 'nosniff',
    // Lets a client that knows no trailers see for itself when the stream was cut short.
    'x-content-length': length,
  });
  if (!first.done) await write(response, first.value, signal);
  for await (const bytes of source) await write(response, bytes, signal);
  response.end();
}

/**
 * Ends a stream that has begun with the reason in the trailer `X-Stream-Error`, as Kubo does, and closes the connection.
 * Where the length was announced there is no trailer: there the connection ends before the bytes do.
 */
export function failStream(response: ServerResponse, message: string): void {
  if (response.hasHeader('content-length') || !response.hasHeader('trailer')) {
    response.destroy();
    return;
  }
  // Header values hold no line ends and only Latin-1.
  response.addTrailers({ 'X-Stream-Error': message.replace(/[^\x20-\x7e]+/g, ' ').slice(0, 1000) });
  response.end(() => response.destroy());
}
