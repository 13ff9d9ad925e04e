import { once } from 'node:events';
import { connect, type Socket } from 'node:net';

/** A response as it was received. */
export interface Answer {
  readonly status: string;
  /** Whether the fast path has answered. */
  readonly isFast: boolean;
  readonly fields: Readonly<Record<string, string>>;
  readonly body: string;
}

/** Field values that differ between two requests. */
const varying = new Set(['date', 'x-request-id', 'connection', 'keep-alive', 'ratelimit']);

export function parseAnswer(text: string): Answer {
  const end = text.indexOf('\r\n\r\n');
  const [status = '', ...lines] = text.slice(0, end).split('\r\n');
  const fields: Record<string, string> = {};
  for (const line of lines) {
    const [name = '', value = ''] = line.split(/: (.*)/s);
    fields[name.toLowerCase()] = varying.has(name.toLowerCase()) ? '' : value;
  }
  // Node writes the fields that it adds with a capital letter.
  return { status, isFast: lines.some((line) => line.startsWith('date:')), fields, body: text.slice(end + 4) };
}

/** Sends a request in one piece, then `close`, for which the server closes the connection. @returns the response to the first */
export async function ask(url: string, request: string | Buffer, close: string): Promise<Answer> {
  const socket = connect(Number(new URL(url).port), '127.0.0.1');
  const first = await exchange(socket, request);
  if (!socket.destroyed) socket.end(close);
  return parseAnswer(first);
}

async function exchange(socket: Socket, request: string | Buffer): Promise<string> {
  let text = '';
  socket.write(request);
  for (;;) {
    const [chunk] = await Promise.race([once(socket, 'data'), once(socket, 'close').then(() => [undefined])]);
    if (chunk === undefined) return text;
    text += chunk.toString('latin1');
    const [head = '', body = ''] = text.split(/\r\n\r\n(.*)/s);
    const length = /content-length: (\d+)/i.exec(head)?.[1];
    const isComplete = length === undefined ? /(^|\r\n)0\r\n\r\n$/.test(body) : body.length >= Number(length);
    if (text.includes('\r\n\r\n') && isComplete) return text;
  }
}

/** Bytes of a body in chunks. */
export function joinedChunks({ body }: Answer): string {
  let content = '';
  for (let at = 0; ; ) {
    const end = body.indexOf('\r\n', at);
    const length = Number.parseInt(body.slice(at, end), 16);
    if (length === 0) return content;
    content += body.slice(end + 2, end + 2 + length);
    at = end + 2 + length + 2;
  }
}
