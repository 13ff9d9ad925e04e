import { isCairnError } from '@cairn/errors';
import { routingUnavailable } from '../errors.ts';
import { limits } from '../limits.ts';

/** Returns the host of a router, since its path or user may be secret. */
export function routerName(url: string): string {
  return new URL(url).host;
}

/** Address of a path of a router. The address of the router may end with `/routing/v1`, as in settings of Kubo. */
export function routerUrl(router: string, path: string): string {
  return `${router.replace(/(\/routing\/v1)?\/*$/, '')}/routing/v1/${path}`;
}

export interface RouterRequest {
  readonly signal: AbortSignal | undefined;
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

/**
 * Sends a request to a router. `end` frees the connection and the timer, also of an answer that is not read to its end.
 * @throws ROUTING_UNAVAILABLE
 */
export async function requestRouter(
  fetch: typeof globalThis.fetch,
  url: string,
  router: string,
  { signal, ...init }: RouterRequest,
): Promise<{ readonly response: Response; readonly end: () => void }> {
  const controller = new AbortController();
  const abort = () => controller.abort(signal?.reason);
  const timer = setTimeout(() => controller.abort(new Error('the time is up')), limits.requestMs);
  signal?.addEventListener('abort', abort, { once: true });
  if (signal?.aborted) abort();
  const end = () => {
    clearTimeout(timer);
    signal?.removeEventListener('abort', abort);
    controller.abort();
  };
  try {
    const response = await fetch(url, { ...init, redirect: 'error', signal: controller.signal });
    return { response, end };
  } catch (error) {
    end();
    if (isCairnError(error)) throw error;
    signal?.throwIfAborted();
    throw routingUnavailable(`the router ${router} does not answer`, error);
  }
}
