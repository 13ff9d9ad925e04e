import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { errorChain, errorText, isCairnError } from '@cairn/errors';
import type { DynamicModule, INestApplication } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { ExpressAdapter } from '@nestjs/platform-express';
import { AdminServer, createRegistry } from '../admin/admin-server.ts';
import type { Dependency } from '../health.ts';
import { trustedHosts } from '../host-check.ts';
import { HttpFastPath } from '../http-fast-path/http-fast-path.ts';
import { createLogger, type Logger, nestLogger } from '../logger.ts';
import { ownOpenFilesAdvice } from '../open-files.ts';
import { RAW_HTTP, type RawHttp } from '../raw-http.ts';
import { loadSettings, type Settings } from '../settings.ts';
import type { SettingName } from '../settings-schema.ts';
import { openTracing, type Tracing } from '../tracing/tracing.ts';
import type { ServiceContext } from './service-kit.module.ts';
import { keepAliveMs, takeRequests } from './take-requests.ts';

export interface ServiceOptions {
  readonly name: string;
  /** The setting that holds its port. */
  readonly portSetting: SettingName & ('STORAGE_API_PORT' | 'RPC_GATEWAY_PORT' | 'CONSOLE_PORT');
  readonly module: (context: ServiceContext) => DynamicModule;
  /** Default: those of the process. */
  readonly argv?: readonly string[];
}

/** How long requests under way may take after a signal before the process ends all the same. */
const drainMs = 10_000;
/** Time for a TLS handshake in milliseconds: a connection without one holds a place and has no other deadline. */
const handshakeMs = 10_000;

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
  const advice = ownOpenFilesAdvice();
  if (advice !== undefined) logger.warn(advice);
  try {
    await serve(options, settings, logger);
  } catch (error) {
    logger.fatal({ causes: errorChain(error) }, startFailure(error, options, settings));
    logger.flush();
    process.exit(1);
  }
}

async function serve({ name, portSetting, module }: ServiceOptions, settings: Settings, logger: Logger): Promise<void> {
  const tracing = await openTracing({
    service: name,
    onProblem: (problem) => logger.warn({ problem }, 'traces are lost'),
  });
  const express = new ExpressAdapter();
  express.getInstance<{ disable(name: string): void }>().disable('x-powered-by');
  const httpsOptions = settings.tls && { ...settings.tls, handshakeTimeout: handshakeMs };
  const app = await NestFactory.create(module({ settings, logger, tracing }), express, {
    bodyParser: false,
    logger: nestLogger(logger),
    abortOnError: false,
    ...(httpsOptions && { httpsOptions }),
  });
  await app.init();
  const raw = app.get<RawHttp>(RAW_HTTP);
  const server: Server = app.getHttpServer();
  const state = { isDraining: false };
  const dependencies = () => (state.isDraining ? [draining] : (raw.dependencies?.() ?? []));
  takeRequests({ server, raw, state, dependencies, isTls: settings.tls !== undefined });
  const fastPath = raw.plain && new HttpFastPath(server, { handler: raw.plain, keepAliveMs });
  const admin = await listenForAdmins({ name, portSetting, settings, raw, dependencies, logger });
  stopOnSignals({ app, server, fastPath, raw, logger, state, admin, tracing });
  await listen(server, settings[portSetting], settings.CAIRN_BIND);
  const { port } = server.address() as AddressInfo;
  logger.info({ port, bind: settings.CAIRN_BIND, tls: settings.tls !== undefined }, `${name} listens`);
  // A supervisor learns the port, also where the setting is 0, and that it is this process that listens there.
  process.send?.({ kind: 'listening', port });
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
  const admin = new AdminServer({
    port,
    host: settings.CAIRN_ADMIN_BIND,
    hosts: trustedHosts(settings),
    registry,
    dependencies,
  });
  logger.info({ adminPort: await admin.listen() }, 'metrics and health are told');
  return admin;
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
  readonly fastPath: HttpFastPath | undefined;
  readonly raw: RawHttp;
  readonly logger: Logger;
  readonly state: { isDraining: boolean };
  readonly admin: AdminServer | undefined;
  readonly tracing: Tracing;
}

function stopOnSignals({ app, server, fastPath, raw, logger, state, admin, tracing }: Running): void {
  const stop = async (signal: NodeJS.Signals) => {
    if (state.isDraining) {
      logger.warn({ signal }, 'second signal: ending at once');
      process.exit(signal === 'SIGINT' ? 130 : 143);
    }
    state.isDraining = true;
    logger.info({ signal }, 'draining');
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
  // The admin port fails with the same codes; the error carries the port.
  const failedPort = error instanceof Error && 'port' in error ? error.port : settings[portSetting];
  const adminSetting = adminPortSettings[portSetting];
  const isAdmin = failedPort === settings[adminSetting] && failedPort !== settings[portSetting];
  const [setting, bindSetting] = isAdmin
    ? ([adminSetting, 'CAIRN_ADMIN_BIND'] as const)
    : ([portSetting, 'CAIRN_BIND'] as const);
  const where = `${settings[bindSetting]}:${settings[setting]}`;
  if (code === 'EADDRINUSE')
    return `${name} cannot listen on ${where}: the port is taken. Set ${setting} to another one.`;
  if (code === 'EACCES') return `${name} may not listen on ${where}. Set ${setting} to a port above 1023.`;
  if (code === 'EADDRNOTAVAIL' || code === 'ENOTFOUND')
    return `${name} cannot listen on ${where}. Set ${bindSetting} to an address of this machine.`;
  if (code === 'EMFILE' || code === 'ENFILE')
    return `${name} has no file descriptors left. Raise the limit: \`ulimit -n 65536\`, or LimitNOFILE= of the unit.`;
  return isCairnError(error)
    ? `${name} cannot start. ${errorText(error)}`
    : `${name} cannot start: ${errorText(error)}`;
}

function fail(message: string): never {
  console.error(message);
  process.exit(1);
}
