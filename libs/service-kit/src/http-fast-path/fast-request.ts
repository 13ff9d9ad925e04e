import { STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';

/** A POST whose head and body came in one piece. */
export interface FastRequest {
  readonly path: string;
  /** By names in lower case. No name is repeated. The same object while the client of the connection repeats its head. */
  readonly headers: Readonly<Record<string, string>>;
  /** A view of the received bytes. Copy what outlives the request. */
  readonly body: Buffer;
  /** IP address of the client. */
  readonly remoteAddress: string | undefined;
  /** Connection of the request, with the bytes that it has received and sent. */
  readonly socket: Pick<Socket, 'bytesRead' | 'bytesWritten'>;
  /** Aborts when the client closes the connection. */
  readonly signal: AbortSignal;
}

export interface FastAnswer {
  readonly status: number;
  /** Header fields without length, date and connection. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | Buffer;
  /** Length of the body in bytes, where it is known. */
  readonly bodyBytes?: number;
  /** Name of the trailer that the response announces and never sends. The body is then one chunk instead of a counted body. */
  readonly trailer?: string;
  /** Called once: after the response is written to the connection, or with false where the connection has ended before. */
  readonly onSent?: (isSent: boolean) => void;
}

/** Handler of plain requests. */
export interface FastHandler {
  /** Reports whether this handler takes requests of a path. */
  takes(path: string): boolean;
  /**
   * Returns the response, without a promise where possible. `undefined` leaves the request to the full parser, with its connection:
   * nothing may have been counted for it. Must not throw.
   */
  answer(request: FastRequest): FastAnswer | undefined | Promise<FastAnswer | undefined>;
}

/** Serializes a response: a text is to be written as Latin-1. */
export function answerBytes(
  { status, headers, body, bodyBytes, trailer }: FastAnswer,
  { keepsAlive, keepAliveSeconds }: { readonly keepsAlive: boolean; readonly keepAliveSeconds: number },
): string | Buffer {
  let head = status === 200 ? okLine : `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ''}\r\n`;
  for (const name in headers) head += `${name}: ${headers[name]}\r\n`;
  const length = bodyBytes ?? (typeof body === 'string' ? Buffer.byteLength(body) : body.length);
  head += keepsAlive ? keepAliveFields(keepAliveSeconds) : `date: ${httpDate()}\r\nconnection: close\r\n`;
  if (trailer === undefined) head += status === 204 ? '\r\n' : `content-length: ${length}\r\n\r\n`;
  else
    head += `trailer: ${trailer}\r\ntransfer-encoding: chunked\r\n\r\n${length === 0 ? '' : `${length.toString(16)}\r\n`}`;
  const tail = trailer === undefined ? '' : length === 0 ? '0\r\n\r\n' : '\r\n0\r\n\r\n';
  // A text is allocated faster than the memory of a buffer of this size.
  if (typeof body !== 'string' && length <= textBytesMax) return head + body.toString('latin1') + tail;
  if (length === body.length && typeof body === 'string') return head + body + tail;
  const bytes = typeof body === 'string' ? Buffer.from(body) : body;
  return Buffer.concat([Buffer.from(head, 'latin1'), bytes, Buffer.from(tail)]);
}

const okLine = 'HTTP/1.1 200 OK\r\n';

/** Longest binary body that is written as text. */
const textBytesMax = 16 * 1024;

let date = '';
/** Second that `date` formats, in milliseconds since 1970. */
let dateAt = Number.NaN;

/** RFC 9110, section 5.6.7; formatted once a second. */
function httpDate(): string {
  const now = Date.now();
  const second = now - (now % 1000);
  // Compared for equality, since a clock can be set back.
  if (second !== dateAt) {
    date = new Date(now).toUTCString();
    dateAt = second;
  }
  return date;
}

let fields = '';
let fieldsDate = '';
let fieldsSeconds = 0;

/** Fields that all responses of one second on connections that stay open have in common. */
function keepAliveFields(keepAliveSeconds: number): string {
  const now = httpDate();
  if (now !== fieldsDate || keepAliveSeconds !== fieldsSeconds) {
    const text = `date: ${now}\r\nconnection: keep-alive\r\nkeep-alive: timeout=${keepAliveSeconds}\r\n`;
    // One piece: a concatenated text would be copied piece by piece in each response.
    fields = Buffer.from(text).toString('latin1');
    fieldsDate = now;
    fieldsSeconds = keepAliveSeconds;
  }
  return fields;
}
