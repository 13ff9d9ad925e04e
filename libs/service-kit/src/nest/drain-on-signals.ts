import type { Server } from 'node:http';
import { errorChain } from '@cairn/errors';
import type { INestApplication } from '@nestjs/common';
import type { AdminServer } from '../admin/admin-server.ts';
import type { HttpFastPath } from '../http-fast-path/http-fast-path.ts';
import type { Logger } from '../logger.ts';
import type { RawHttp } from '../raw-http.ts';
import type { Tracing } from '../tracing/tracing.ts';

/** Time for requests under way after a signal, in milliseconds. Then their connections are cut. */
const drainMs = 10_000;

/** Parts of a running service that a drain ends. */
export interface RunningParts {
  readonly app: INestApplication;
  readonly server: Server;
  readonly fastPath: HttpFastPath | undefined;
  readonly raw: RawHttp;
  readonly logger: Logger;
  readonly state: { isDraining: boolean };
  readonly admin: AdminServer | undefined;
  readonly tracing: Tracing;
}

/** Drains the service at SIGTERM, at SIGINT and when its supervisor ends; a second signal ends it immediately. */
export function drainOnSignals(parts: RunningParts): void {
  const { logger, state } = parts;
  const stop = async (signal: NodeJS.Signals) => {
    if (state.isDraining) {
      logger.warn({ signal }, 'second signal: ending immediately');
      process.exit(signal === 'SIGINT' ? 130 : 143);
    }
    state.isDraining = true;
    logger.info({ signal }, 'draining');
    await drain(parts);
    logger.info('stopped');
    logger.flush();
    process.exit();
  };
  process.on('SIGINT', stop);
  process.on('SIGTERM', stop);
  // A service that a supervisor started through a channel ends with that supervisor.
  process.on('disconnect', () => {
    if (!state.isDraining) void stop('SIGTERM');
  });
}

async function drain({ app, server, fastPath, raw, logger, admin, tracing }: RunningParts): Promise<void> {
  const closed = new Promise<void>((resolve) => server.close(() => resolve()));
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
    await app.close();
    admin?.close();
    await tracing.close();
  } catch (error) {
    logger.error({ causes: errorChain(error) }, 'the drain failed');
    process.exitCode = 1;
  }
  clearTimeout(deadline);
}
