import { STATUS_CODES } from 'node:http';

/** A POST whose head and body came in one piece. */
export interface FastRequest {
  readonly path: string;
  /** By names in lower case. No name is repeated. */
  readonly headers: Readonly<Record<string, string>>;
  /** A view of the received bytes. Copy what outlives the request. */
  readonly body: Buffer;
  /** IP address of the client. */
  readonly remoteAddress: string | undefined;
  /** Aborts when the client closes the connection. */
  readonly signal: AbortSignal;
}

export interface FastAnswer {
  readonly status: number;
  /** Header fields without length, date and connection. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | Buffer;
}

/** Handler of plain requests. */
export interface FastHandler {
  /** Reports whether this handler takes requests of a path. */
  takes(path: string): boolean;
  /** Returns the response, without a promise where possible. Must not throw. */
  answer(request: FastRequest): FastAnswer | Promise<FastAnswer>;
}

/** Serializes a response: as text where all of it is ASCII, which is written without a copy. */
export function answerBytes(
  { status, headers, body }: FastAnswer,
  { keepsAlive, keepAliveSeconds }: { readonly keepsAlive: boolean; readonly keepAliveSeconds: number },
): string | Buffer {
  let head = `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ''}\r\n`;
  for (const name in headers) head += `${name}: ${headers[name]}\r\n`;
  const length = typeof body === 'string' ? Buffer.byteLength(body) : body.length;
  const connection = keepsAlive ? `keep-alive\r\nkeep-alive: timeout=${keepAliveSeconds}` : 'close';
  head += `date: ${httpDate()}\r\nconnection: ${connection}\r\n`;
  if (status !== 204) head += `content-length: ${length}\r\n`;
  head += '\r\n';
  if (typeof body !== 'string') return Buffer.concat([Buffer.from(head, 'latin1'), body]);
  return length === body.length ? head + body : Buffer.from(head + body);
}

let date = '';
let dateUntil = 0;

/** RFC 9110, section 5.6.7; formatted once a second. */
function httpDate(): string {
  const now = Date.now();
  if (now >= dateUntil) {
    date = new Date(now).toUTCString();
    dateUntil = now - (now % 1000) + 1000;
  }
  return date;
}
