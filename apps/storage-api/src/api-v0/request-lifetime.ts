import type { ServerResponse } from 'node:http';
import { ApiError } from './api-error.ts';
import type { GlobalOptions } from './global-options.ts';
import { parseDuration } from './options.ts';
import type { StorageMeter } from './storage-meter.ts';
import type { Waits } from './waits.ts';
import { countWork } from './work.ts';

export interface RequestLifetime {
  /** Aborts with the connection, with the request's `timeout`, and when a limit of the account is reached. */
  readonly signal: AbortSignal;
  release(): void;
}

/** `local` is the old name of `offline`. */
export interface LifetimeOptions extends Pick<GlobalOptions, 'timeout' | 'offline' | 'local'> {
  readonly waits: Waits;
  readonly meter: StorageMeter;
}

/** Starts the signal of one request, and sets how long its reads may wait for blocks. @throws ApiError 400 */
export function startLifetime(
  response: ServerResponse,
  { timeout, offline, local, waits, meter }: LifetimeOptions,
): RequestLifetime {
  const timeoutMs = timeout ? parseDuration('timeout', timeout) : undefined;
  const controller = new AbortController();
  const { signal } = controller;
  meter.watch((error) => controller.abort(error));
  countWork(signal, meter.work);
  const onClose = () => controller.abort(new ApiError(499, 'the client closed the connection'));
  response.once('close', onClose);
  const onTimeout = () => controller.abort(new ApiError(500, `context deadline exceeded: timeout=${timeout}`));
  const timer = timeoutMs === undefined ? undefined : setTimeout(onTimeout, timeoutMs);
  waits.set(signal, { timeoutMs, isOffline: offline === true || local === true });
  return {
    signal,
    release() {
      response.off('close', onClose);
      clearTimeout(timer);
    },
  };
}
