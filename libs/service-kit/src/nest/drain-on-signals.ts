import type { Server } from 'node:http';
import { Server as NetServer } from 'node:net';
import { errorChain } from '@cairn/errors';
import type { INestApplication } from '@nestjs/common';
import type { AdminServer } from '../admin/admin-server.ts';
import type { HttpFastPath } from '../http-fast-path/http-fast-path.ts';
import { type Logger, logWritten } from '../logger.ts';
import type { WorkerGroup, WorkerState } from '../processes/worker-group.ts';
import type { RawHttp } from '../raw-http.ts';
import type { Tracing } from '../tracing/tracing.ts';
import { endBySignal } from './end-by-signal.ts';

/** Time for requests under way after a signal, in milliseconds. Then their connections are cut. */
const drainMs = 10_000;
/**
 * Time in milliseconds in which a replaced process still answers on its idle connections, with `Connection: close`. A client
 * that sends while its connection is closed gets no response.
 */
const lingerMs = 3_000;

/** Parts of a running service that a drain ends. */
export interface RunningParts extends WorkerState {
  readonly app: INestApplication;
  readonly server: Server;
  readonly fastPath: HttpFastPath | undefined;
  readonly raw: RawHttp;
  readonly logger: Logger;
  readonly state: { isDraining: boolean; isLingering: boolean };
  readonly admin: AdminServer | undefined;
  readonly tracing: Tracing;
  /** Present in a process of several. */
  readonly worker: WorkerGroup | undefined;
}

/**
 * Drains the service at SIGTERM, at SIGINT and when its supervisor ends; a second signal ends it immediately. A process of
 * several also drains when its primary process asks for it.
 */
export function drainOnSignals(parts: RunningParts): void {
  const { logger, state, worker } = parts;
  const level = worker === undefined ? 'info' : 'debug';
  const stop = async (signal: 'SIGINT' | 'SIGTERM', { lingers = false } = {}) => {
    if (state.isDraining) {
      logger.warn({ signal }, 'second signal: ending immediately');
      logger.flush();
      endBySignal(signal);
    }
    state.isDraining = true;
    await logWritten(logger, level, 'draining', { signal });
    await drain(parts, lingers);
    logger[level]('stopped');
    logger.flush();
    process.exit();
  };
  process.on('SIGINT', () => void stop('SIGINT'));
  process.on('SIGTERM', () => void stop('SIGTERM'));
  if (worker !== undefined) {
    // The primary process replaces processes at this signal.
    process.on('SIGUSR2', () => {});
    worker.serve(parts, (options) => {
      if (!state.isDraining) void stop('SIGTERM', options);
    });
    return;
  }
  process.on('SIGUSR2', () =>
    logger.warn('a service of one process is not replaced: restart it, or set CAIRN_PROCESSES'),
  );
  // A service that a supervisor started through a channel ends with that supervisor.
  process.on('disconnect', () => {
    if (!state.isDraining) void stop('SIGTERM');
  });
}

async function drain(parts: RunningParts, lingers: boolean): Promise<void> {
  const { app, server, fastPath, raw, logger, state, admin, tracing, worker } = parts;
  state.isLingering = lingers;
  // The method of the HTTP server would also close idle connections.
  const closed = new Promise<void>((resolve) => {
    if (lingers) NetServer.prototype.close.call(server, () => resolve());
    else server.close(() => resolve());
  });
  if (lingers) await Promise.race([closed, linger(parts)]);
  state.isLingering = false;
  server.closeIdleConnections();
  fastPath?.drain();
  const deadline = setTimeout(() => {
    logger.warn({ drainMs }, 'connections that were still open are cut');
    server.closeAllConnections();
    fastPath?.destroy();
  }, drainMs);
  try {
    await raw.drain?.();
    await closed;
    // Before the stores close, which some numbers are read from.
    await worker?.reportLast();
    await app.close();
    admin?.close();
    await tracing.close();
  } catch (error) {
    logger.error({ causes: errorChain(error) }, 'the drain failed');
    process.exitCode = 1;
  }
  clearTimeout(deadline);
}

/** Gives clients time to learn from their next response that their connection ends. */
async function linger({ fastPath, raw }: RunningParts): Promise<void> {
  fastPath?.drain({ lingers: true });
  await Promise.all([raw.drain?.(), new Promise((resolve) => setTimeout(resolve, lingerMs))]);
}
