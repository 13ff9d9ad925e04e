import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Duplex } from 'node:stream';
import { errorChain, errorText, isCairnError } from '@cairn/errors';
import type { DynamicModule, INestApplication } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { ExpressAdapter } from '@nestjs/platform-express';
import { AdminServer, createRegistry } from '../admin/admin-server.ts';
import { answerHealth, type Dependency } from '../health.ts';
import { createLogger, type Logger, nestLogger } from '../logger.ts';
import { PlainLane } from '../plain-http/plain-lane.ts';
import { RAW_HTTP, type RawHttp } from '../raw-http.ts';
import { loadSettings, type Settings } from '../settings.ts';
import type { SettingName } from '../settings-schema.ts';

export interface ServiceOptions {
  readonly name: string;
  /** The setting that holds its port. */
  readonly portSetting: SettingName & ('STORAGE_API_PORT' | 'RPC_GATEWAY_PORT' | 'CONSOLE_PORT');
  readonly module: (context: { readonly settings: Settings; readonly logger: Logger }) => DynamicModule;
  /** Default: those of the process. */
  readonly argv?: readonly string[];
}

/** How long requests under way may take after a signal before the process ends all the same. */
const drainMs = 10_000;
/** A connection on which nothing moves for this long is closed. */
const idleMs = 120_000;
/** A connection that could send another request and does not is closed. */
const keepAliveMs = 75_000;

/**
 * The whole life of a service: settings, logger, Nest application, listening, and a drain at SIGTERM or SIGINT that
 * ends with exit code 0. A second signal ends at once. `--check-config` only checks the settings.
 */
export async function runService(options: ServiceOptions): Promise<void> {
  const { name, argv = process.argv.slice(2) } = options;
  const unknown = argv.find((argument) => argument !== '--check-config');
  if (unknown !== undefined)
    fail(`${name} does not know ${JSON.stringify(unknown)}. It takes --check-config; all else is a setting.`);
  let settings: Settings;
  try {
    settings = loadSettings();
  } catch (error) {
    return fail(errorText(error));
  }
  if (argv.includes('--check-config')) {
    console.log('The settings are good.');
    return;
  }
  const logger = createLogger({ name, level: settings.LOG_LEVEL });
  try {
    await serve(options, settings, logger);
  } catch (error) {
    logger.fatal({ causes: errorChain(error) }, startFailure(error, options, settings));
    logger.flush();
    process.exit(1);
  }
}

async function serve({ name, portSetting, module }: ServiceOptions, settings: Settings, logger: Logger): Promise<void> {
  const app = await NestFactory.create(module({ settings, logger }), new ExpressAdapter(), {
    bodyParser: false,
    logger: nestLogger(logger),
    abortOnError: false,
    ...(settings.tls && { httpsOptions: settings.tls }),
  });
  await app.init();
  const raw = app.get<RawHttp>(RAW_HTTP);
  const server: Server = app.getHttpServer();
  const state = { isDraining: false };
  const dependencies = () => (state.isDraining ? [draining] : (raw.dependencies?.() ?? []));
  takeRequests(server, raw, state, dependencies);
  const plainLane = raw.plain && new PlainLane(server, { handler: raw.plain, keepAliveMs });
  const admin = await listenForAdmins({ name, portSetting, settings, raw, dependencies, logger });
  stopOnSignals({ app, server, plainLane, raw, logger, state, admin });
  await listen(server, settings[portSetting], settings.CAIRN_BIND);
  const { port } = server.address() as AddressInfo;
  logger.info({ port, bind: settings.CAIRN_BIND, tls: settings.tls !== undefined }, `${name} listens`);
}

const draining: Dependency = { name: 'service', problem: 'the service is shutting down' };

const adminPortSettings = {
  STORAGE_API_PORT: 'STORAGE_API_ADMIN_PORT',
  RPC_GATEWAY_PORT: 'RPC_GATEWAY_ADMIN_PORT',
  CONSOLE_PORT: 'CONSOLE_ADMIN_PORT',
} as const;

/** Opens the port for those who run the service, where the settings name one. */
async function listenForAdmins({
  name,
  portSetting,
  settings,
  raw,
  dependencies,
  logger,
}: Pick<ServiceOptions, 'name' | 'portSetting'> & {
  readonly settings: Settings;
  readonly raw: RawHttp;
  readonly dependencies: () => readonly Dependency[];
  readonly logger: Logger;
}): Promise<AdminServer | undefined> {
  const port = settings[adminPortSettings[portSetting]];
  if (port === undefined) return undefined;
  const registry = createRegistry(name);
  raw.registerMetrics?.(registry);
  const admin = new AdminServer({ port, host: settings.CAIRN_ADMIN_BIND, registry, dependencies });
  logger.info({ adminPort: await admin.listen() }, 'metrics and health are told');
  return admin;
}

/** Requests that are none, by what Node calls them. */
const clientErrors: Readonly<Record<string, string>> = {
  HPE_HEADER_OVERFLOW: '431 Request Header Fields Too Large',
  ERR_HTTP_REQUEST_TIMEOUT: '408 Request Timeout',
};

/** Puts the raw handlers before Express. */
function takeRequests(
  server: Server,
  raw: RawHttp,
  state: { readonly isDraining: boolean },
  dependencies: () => readonly Dependency[],
): void {
  const express = server.listeners('request') as ((request: IncomingMessage, response: ServerResponse) => void)[];
  server.removeAllListeners('request');
  const onRequest = (request: IncomingMessage, response: ServerResponse) => {
    if (state.isDraining) response.setHeader('connection', 'close');
    // A request that was under way at the signal may have promised to keep its connection. Once its answer is handed over
    // to the system there is nothing to keep it for; closeIdleConnections would cut off what is still buffered.
    response.once('finish', () => {
      if (state.isDraining) request.socket.end();
    });
    if (answerHealth(request, response, dependencies) || raw.handleRequest(request, response)) return;
    for (const listener of express) listener(request, response);
  };
  server.on('request', onRequest);
  // The handler decides whether a client that asks first may send its body.
  server.on('checkContinue', onRequest);
  server.on('upgrade', (request: IncomingMessage, socket: Duplex, head: Buffer) => {
    socket.on('error', () => socket.destroy());
    if (state.isDraining || !raw.handleUpgrade?.(request, socket, head)) {
      socket.end('HTTP/1.1 400 Bad Request\r\nconnection: close\r\ncontent-length: 0\r\n\r\n');
    }
  });
  server.on('clientError', (error: Error & { readonly code?: string }, socket: Duplex) => {
    const status = clientErrors[error.code ?? ''] ?? '400 Bad Request';
    if (socket.writable) socket.end(`HTTP/1.1 ${status}\r\nconnection: close\r\ncontent-length: 0\r\n\r\n`);
    else socket.destroy();
  });
  // An upload may take hours as long as it moves; headers must come at once.
  server.requestTimeout = 0;
  server.headersTimeout = 30_000;
  server.keepAliveTimeout = keepAliveMs;
  server.setTimeout(idleMs);
}

function listen(server: Server, port: number, host: string): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen({ port, host }, () => {
      server.off('error', reject);
      resolve();
    });
  });
}

interface Running {
  readonly app: INestApplication;
  readonly server: Server;
  readonly plainLane: PlainLane | undefined;
  readonly raw: RawHttp;
  readonly logger: Logger;
  readonly state: { isDraining: boolean };
  readonly admin: AdminServer | undefined;
}

function stopOnSignals({ app, server, plainLane, raw, logger, state, admin }: Running): void {
  const stop = async (signal: NodeJS.Signals) => {
    if (state.isDraining) {
      logger.warn({ signal }, 'second signal: ending at once');
      process.exit(signal === 'SIGINT' ? 130 : 143);
    }
    state.isDraining = true;
    logger.info({ signal }, 'draining');
    const closed = new Promise<void>((resolve) => server.close(() => resolve()));
    server.closeIdleConnections();
    plainLane?.drain();
    const deadline = setTimeout(() => {
      logger.warn({ drainMs }, 'connections that were still open are cut');
      server.closeAllConnections();
      plainLane?.destroy();
    }, drainMs);
    try {
      await raw.drain?.();
      await closed;
      await app.close();
      admin?.close();
    } catch (error) {
      logger.error({ causes: errorChain(error) }, 'the drain failed');
      process.exitCode = 1;
    }
    clearTimeout(deadline);
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

function startFailure(error: unknown, { name, portSetting }: ServiceOptions, settings: Settings): string {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  const where = `${settings.CAIRN_BIND}:${settings[portSetting]}`;
  if (code === 'EADDRINUSE')
    return `${name} cannot listen on ${where}: the port is taken. Set ${portSetting} to another one.`;
  if (code === 'EACCES') return `${name} may not listen on ${where}. Set ${portSetting} to a port above 1023.`;
  if (code === 'EADDRNOTAVAIL' || code === 'ENOTFOUND')
    return `${name} cannot listen on ${where}. Set CAIRN_BIND to an address of this machine.`;
  return isCairnError(error)
    ? `${name} cannot start. ${errorText(error)}`
    : `${name} cannot start: ${errorText(error)}`;
}

function fail(message: string): never {
  console.error(message);
  process.exit(1);
}
