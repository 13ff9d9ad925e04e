import { once } from 'node:events';
import type { OutgoingHttpHeaders, ServerResponse } from 'node:http';
import { BufferPool, Slices } from '@cairn/blockstore';
import { beforeIdleCollection } from '@cairn/service-kit';
import { goJson } from './go-json.ts';
import { workOf } from './with-work.ts';

/** Header fields of Kubo's responses that are one stream of bytes. */
export const streamHeaders = { 'x-stream-output': '1' } as const;

/** Header fields of Kubo's responses that are any number of JSON values, also none. A literal, to which V8 adds fields quickly. */
export const jsonLinesHeaders = () => ({ 'content-type': 'application/json', 'x-chunked-output': '1' });

/** Name of the trailer that reports an error after the first byte: see {@link failStream}. */
export const errorTrailer = 'X-Stream-Error';

/** Memory for blocks of files that waits for its next use. */
const fileBuffers = new BufferPool({ bytesMax: 16 * 1024 * 1024 });
beforeIdleCollection(() => fileBuffers.clear());

/** Bytes that may wait for the client: the next blocks are read and hashed while earlier ones are sent. */
const aheadBytesMax = 512 * 1024;

/**
 * Sends the head of a response. It announces the error trailer, as every response of Kubo's commands does. HTTP/1.0
 * has no chunks, so it has no trailers.
 */
export function sendHead(response: ServerResponse, headers: OutgoingHttpHeaders, status = 200): void {
  response.writeHead(status, response.useChunkedEncodingByDefault ? { ...headers, trailer: errorTrailer } : headers);
}

/**
 * Writes a chunk and waits while the client is slow.
 * @throws the reason of the signal when the client closes the connection
 */
export async function write(
  response: ServerResponse,
  chunk: Uint8Array | string,
  signal: AbortSignal,
  onWritten?: (error?: Error | null) => void,
): Promise<void> {
  signal.throwIfAborted();
  // Lines from memory would otherwise follow each other without a turn of the event loop.
  const slices = Slices.of(signal);
  if (slices.isOver) await slices.next();
  if (response.write(chunk, onWritten) || response.writableLength < aheadBytesMax) return;
  try {
    await once(response, 'drain', { signal });
  } catch (error) {
    signal.throwIfAborted();
    throw error;
  }
}

/** Writes one line of a stream of JSON, after the head if it is the first. @throws the reason of the signal */
export async function writeLine(response: ServerResponse, value: unknown, signal: AbortSignal): Promise<void> {
  if (!response.headersSent) sendHead(response, jsonLinesHeaders());
  workOf(signal)?.line();
  await write(response, `${goJson(value)}\n`, signal);
}

/** Ends a stream of JSON lines, also one without any. */
export function endLines(response: ServerResponse): void {
  if (!response.headersSent) sendHead(response, jsonLinesHeaders());
  response.end();
}

/** Sends one JSON value as the whole response. */
export function sendJson(response: ServerResponse, value: unknown, status = 200): void {
  sendJsonText(response, goJson(value), status);
}

/** Like {@link sendJson}, for a value as text. */
export function sendJsonText(response: ServerResponse, text: string, status = 200): void {
  sendHead(response, { 'content-type': 'application/json' }, status);
  response.end(`${text}\n`);
}

const pieceCharacters = 16 * 1024;

/** Sends one JSON value in pieces of text: one long text would block the event loop and take memory. */
export async function sendJsonPieces(
  response: ServerResponse,
  pieces: Iterable<string>,
  signal: AbortSignal,
): Promise<void> {
  sendHead(response, { 'content-type': 'application/json' });
  let waiting = '';
  for (const piece of pieces) {
    waiting += piece;
    workOf(signal)?.line();
    if (waiting.length < pieceCharacters) continue;
    await write(response, waiting, signal);
    waiting = '';
  }
  response.end(`${waiting}\n`);
}

/** Yields the text of a list, item by item. */
export function* jsonListPieces(items: Iterable<unknown>): Generator<string> {
  let separator = '[';
  for (const item of items) {
    yield `${separator}${goJson(item)}`;
    separator = ',';
  }
  yield separator === '[' ? '[]' : ']';
}

/** Sends bytes as the whole response, as Kubo streams the output of commands. */
export function sendText(response: ServerResponse, bytes: Uint8Array): void {
  sendHead(response, { ...streamHeaders, 'content-type': 'text/plain', 'x-content-type-options': 'nosniff' });
  response.end(bytes);
}

/**
 * Streams bytes after the head of a response, and ends it. The memory of long blocks is used again, as in {@link sendFile}.
 */
export async function sendBlocks(
  response: ServerResponse,
  source: (buffers: BufferPool) => AsyncIterable<Uint8Array>,
  signal: AbortSignal,
): Promise<void> {
  for await (const bytes of source(fileBuffers)) await write(response, bytes, signal, givingBack(bytes));
  response.end();
}

/** Gives a chunk back once it was sent. After an error the system may still read it. */
function givingBack(chunk: Uint8Array): (error?: Error | null) => void {
  return (error) => void (error ?? fileBuffers.giveBack(chunk));
}

/** Header fields of the response with the bytes of a file. Its length lets a client without trailers notice a cut stream. */
export function fileHeaders(length: number | undefined): Record<string, string> {
  const headers: Record<string, string> = {
    'x-stream-output': streamHeaders['x-stream-output'],
    'content-type': 'text/plain',
    'x-content-type-options': 'nosniff',
  };
  if (length !== undefined) headers['x-content-length'] = String(length);
  return headers;
}

/**
 * Streams the bytes of a file as the response, with their number where it is known. The head is sent with the first bytes, so
 * that an earlier error is still an error response. The memory of blocks is used again: the source takes it from the given pool,
 * and yields each buffer once.
 */
export async function sendFile(
  response: ServerResponse,
  source: (buffers: BufferPool) => AsyncGenerator<Uint8Array>,
  length: number | undefined,
  signal: AbortSignal,
): Promise<void> {
  const chunks = source(fileBuffers);
  const first = await chunks.next();
  sendHead(response, fileHeaders(length));
  if (!first.done) await write(response, first.value, signal, givingBack(first.value));
  for await (const bytes of chunks) await write(response, bytes, signal, givingBack(bytes));
  response.end();
}

/**
 * Ends a started stream with the reason in the trailer `X-Stream-Error`, as Kubo does, and closes the connection.
 * Without trailers (HTTP/1.0) the connection is reset, which no client takes for a complete response.
 */
export function failStream(response: ServerResponse, message: string): void {
  if (!response.hasHeader('trailer')) {
    response.destroy();
    return;
  }
  // Header values contain no line ends. UTF-8 is sent byte by byte, as from Go.
  const bytes = Buffer.from(message.slice(0, 1000)).toString('latin1');
  response.addTrailers({ [errorTrailer]: bytes.replace(/[^\x20-\x7e\x80-\xff]+/g, ' ') });
  response.end(() => response.destroy());
}
