import { randomUUID } from 'node:crypto';

const pattern = /^[A-Za-z0-9._:/+=-]{1,128}$/;

/** The id that a client sent in `X-Request-Id`, where it is safe to log and to echo; else a new one. */
export function requestId(request: {
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
}): string {
  const sent = request.headers['x-request-id'];
  return typeof sent === 'string' && pattern.test(sent) ? sent : randomUUID();
}
