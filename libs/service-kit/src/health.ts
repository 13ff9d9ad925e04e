import type { IncomingMessage, ServerResponse } from 'node:http';

/**
 * Answers `GET /livez` (the process runs) and `GET /readyz` (it can serve), as Kubernetes asks for them.
 * @param notReady why the service cannot serve, or `undefined`
 * @returns false for every other path
 */
export function answerHealth(
  request: IncomingMessage,
  response: ServerResponse,
  notReady: () => string | undefined,
): boolean {
  const path = request.url?.split('?', 1)[0];
  if (path !== '/livez' && path !== '/readyz') return false;
  if (request.method !== 'GET' && request.method !== 'HEAD') {
    response.writeHead(405, { allow: 'GET, HEAD' }).end();
    return true;
  }
  const reason = path === '/readyz' ? notReady() : undefined;
  const body = JSON.stringify(reason === undefined ? { status: 'ok' } : { status: 'unavailable', reason });
  response.writeHead(reason === undefined ? 200 : 503, {
    'content-type': 'application/json',
    'cache-control': 'no-store',
  });
  response.end(request.method === 'HEAD' ? undefined : body);
  return true;
}
