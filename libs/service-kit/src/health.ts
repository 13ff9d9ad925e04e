import type { IncomingMessage, ServerResponse } from 'node:http';

/** A dependency of a service. */
export interface Dependency {
  readonly name: string;
  /** Why it cannot be used; absent where it can. */
  readonly problem?: string | undefined;
  /** Failure that the service survives for now; it is reported, and the service stays ready. */
  readonly warning?: string | undefined;
}

/** Readiness of a service, with the problems that prevent it. */
export interface Readiness {
  readonly status: 'ok' | 'unavailable';
  /** The first problem. */
  readonly reason?: string;
  readonly dependencies: Readonly<Record<string, string>>;
}

/** Combines the problems of all dependencies. */
export function readiness(dependencies: readonly Dependency[]): Readiness {
  const broken = dependencies.find(({ problem }) => problem !== undefined);
  return {
    status: broken === undefined ? 'ok' : 'unavailable',
    ...(broken?.problem !== undefined && { reason: broken.problem }),
    dependencies: Object.fromEntries(
      dependencies.map(({ name, problem, warning }) => [name, problem ?? warning ?? 'ok']),
    ),
  };
}

/**
 * Serves `GET /livez` (the process runs) and `GET /readyz` (it can serve), as Kubernetes requests them.
 * @returns false for every other path
 */
export function answerHealth(
  request: IncomingMessage,
  response: ServerResponse,
  dependencies: () => readonly Dependency[],
): boolean {
  const path = request.url?.split('?', 1)[0];
  if (path !== '/livez' && path !== '/readyz') return false;
  if (request.method !== 'GET' && request.method !== 'HEAD') {
    response.writeHead(405, { allow: 'GET, HEAD' }).end();
    return true;
  }
  const state = path === '/readyz' ? readiness(dependencies()) : { status: 'ok' };
  response.writeHead(state.status === 'ok' ? 200 : 503, {
    'content-type': 'application/json',
    'cache-control': 'no-store',
  });
  response.end(request.method === 'HEAD' ? undefined : JSON.stringify(state));
  return true;
}
