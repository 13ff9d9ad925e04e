import type { ServerResponse } from 'node:http';
import { decodeFollowed } from '../codec-pool/codec-job.ts';
import type { CodecPool } from '../codec-pool/codec-pool.ts';
import type { DeniedContent } from '../denied-content.ts';
import type { Network } from '../network/network.ts';
import { ApiError } from './api-error.ts';
import type { GlobalOptions } from './global-options.ts';
import { parseDuration } from './options.ts';
import { setReadOptions, waitMsOf } from './read-options.ts';
import type { StorageMeter } from './storage-meter.ts';

export interface RequestLifetime {
  /** Aborts with the connection, at the request's `timeout`, and when a limit of the account is reached. */
  readonly signal: AbortSignal;
  release(): void;
}

/** `local` is the old name of `offline`. */
export interface LifetimeOptions extends Partial<Pick<GlobalOptions, 'timeout' | 'offline' | 'local'>> {
  /** Milliseconds that a read waits for a missing block, where the request has no timeout. */
  readonly waitMs: number;
  readonly meter: StorageMeter;
  readonly codecs: CodecPool;
  readonly account: string;
  /** Blocks of other nodes. Default: reads are local. */
  readonly network?: Network | undefined;
  /** Denied content, which the request may not read. Absent: it may. */
  readonly denied?: DeniedContent | undefined;
  /** Resolves a path under /ipns/. Absent: such paths are refused. */
  readonly resolveName?: (path: string, options: { signal: AbortSignal; isOffline: boolean }) => Promise<string>;
}

/** Starts the signal of one request and sets the options of its reads. @throws ApiError 400 */
export function startLifetime(
  response: ServerResponse,
  { timeout, offline, local, waitMs, meter, codecs, account, network, denied, resolveName }: LifetimeOptions,
): RequestLifetime {
  // Kubo accepts a time that has passed already: only commands that wait fail.
  const timeoutMs = timeout ? Math.max(1, parseDuration('timeout', timeout)) : undefined;
  const controller = new AbortController();
  const { signal } = controller;
  meter.watch((error) => controller.abort(error));
  const onClose = () => controller.abort(new ApiError(499, 'the client closed the connection'));
  response.once('close', onClose);
  const onTimeout = () => controller.abort(new ApiError(500, `context deadline exceeded: timeout=${timeout}`));
  const timer = timeoutMs === undefined ? undefined : setTimeout(onTimeout, timeoutMs);
  const isOffline = offline === true || local === true;
  const reads = isOffline ? undefined : network?.open(account);
  setReadOptions(signal, {
    waitMs: waitMsOf({ defaultMs: waitMs, timeoutMs, isOffline }),
    network: reads,
    denied,
    ...(resolveName && { resolveName: (path) => resolveName(path, { signal, isOffline }) }),
    work: meter.work,
    follow: async (within) => decodeFollowed(await codecs.run({ kind: 'follow', ...within }, { account, signal })),
  });
  return {
    signal,
    release() {
      response.off('close', onClose);
      clearTimeout(timer);
      reads?.close();
    },
  };
}
