import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { errorChain, errorText } from '@cairn/errors';
import type { DynamicModule, INestApplication } from '@nestjs/common';
import { type AbstractHttpAdapter, NestFactory } from '@nestjs/core';
import { AdminServer, createRegistry } from '../admin/admin-server.ts';
import { type Engine, registerEngineMetrics } from '../admin/engine-metrics.ts';
import { registerGauge } from '../admin/gauges.ts';
import type { Dependency } from '../health.ts';
import { trustedHosts } from '../host-check.ts';
import { HttpFastPath } from '../http-fast-path/http-fast-path.ts';
import { createLogger, type Logger, nestLogger } from '../logger.ts';
import { ownOpenFilesAdvice } from '../open-files.ts';
import { RAW_HTTP, type RawHttp } from '../raw-http.ts';
import type { CommonSettings } from '../settings/common-settings.ts';
import { loadSettings, type Settings } from '../settings/load-settings.ts';
import type { SettingsShape } from '../settings/settings-shape.ts';
import { openTracing } from '../tracing/open-tracing.ts';
import { drainOnSignals } from './drain-on-signals.ts';
import { RawHttpAdapter } from './raw-http-adapter.ts';
import type { ServiceContext } from './service-kit.module.ts';
import { startFailure } from './start-failure.ts';
import { keepAliveMs, takeRequests } from './take-requests.ts';

/** Names of the settings of a shape that hold a port. */
type PortName<Shape extends SettingsShape> = string &
  { [Name in keyof Settings<Shape>]: Settings<Shape>[Name] extends number | undefined ? Name : never }[keyof Shape];

/** Names of the settings of a shape that hold text. */
type TextName<Shape extends SettingsShape> = string &
  { [Name in keyof Settings<Shape>]: Settings<Shape>[Name] extends string ? Name : never }[keyof Shape];

export interface ServiceOptions<Shape extends SettingsShape> {
  readonly name: string;
  /** Settings of the service beside the common ones: its `settings.ts`. */
  readonly settings: Shape;
  /** Setting of the port that it serves. */
  readonly portSetting: PortName<Shape>;
  /** Setting of the port for metrics and health. */
  readonly adminPortSetting: PortName<Shape>;
  /** Setting of the address of an internal API, which has no TLS. Default: `CAIRN_BIND`, with TLS where it is set. */
  readonly internalBindSetting?: TextName<Shape>;
  readonly module: (context: ServiceContext<Settings<Shape>>) => DynamicModule;
  /** States of the engines that replicas of the service share. Default: none. */
  readonly engines?: () => readonly Engine[];
  /** Adapter of a service with Nest controllers. Default: one that routes nothing, so that Express is not loaded. */
  readonly adapter?: () => AbstractHttpAdapter;
  /** Prepares the application before its modules are initialized, for example with a WebSocket adapter. */
  readonly configure?: (app: INestApplication) => void;
  /** Default: those of the process. */
  readonly argv?: readonly string[];
}

/** Time for a TLS handshake in milliseconds: a connection without one holds a place and has no other deadline. */
const handshakeMs = 10_000;

/**
 * Runs a service: settings, logger, Nest application, listening, and a drain at SIGTERM or SIGINT that ends with exit
 * code 0. A second signal ends it immediately. `--check-config` only checks the settings.
 */
export async function runService<Shape extends SettingsShape>(options: ServiceOptions<Shape>): Promise<void> {
  const { name, argv = process.argv.slice(2) } = options;
  const unknown = argv.find((argument) => argument !== '--check-config');
  if (unknown !== undefined)
    fail(`${name} does not know ${JSON.stringify(unknown)}. It takes --check-config; all else is a setting.`);
  let settings: Settings<Shape>;
  try {
    settings = loadSettings(options.settings);
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
    const { portSetting, adminPortSetting, internalBindSetting: bindSetting = 'CAIRN_BIND' } = options;
    const listeners = {
      name,
      service: { port: portOf(settings, portSetting), portSetting, bind: bindOf(settings, bindSetting), bindSetting },
      admin: {
        port: portOf(settings, adminPortSetting),
        portSetting: adminPortSetting,
        bind: settings.CAIRN_ADMIN_BIND,
        bindSetting: 'CAIRN_ADMIN_BIND',
      },
    };
    logger.fatal({ causes: errorChain(error) }, startFailure(error, listeners));
    logger.flush();
    process.exit(1);
  }
}

async function serve<Shape extends SettingsShape>(
  options: ServiceOptions<Shape>,
  settings: Settings<Shape>,
  logger: Logger,
): Promise<void> {
  const { name, portSetting, adminPortSetting, internalBindSetting, module, adapter, configure, engines } = options;
  const tracing = await openTracing({
    service: name,
    onProblem: (problem) => logger.warn({ problem }, 'traces are lost'),
  });
  const tls = internalBindSetting === undefined ? settings.tls : undefined;
  const httpsOptions = tls && { ...tls, handshakeTimeout: handshakeMs };
  const app = await NestFactory.create(module({ settings, logger, tracing }), adapter?.() ?? new RawHttpAdapter(), {
    bodyParser: false,
    logger: nestLogger(logger),
    abortOnError: false,
    ...(httpsOptions && { httpsOptions }),
  });
  configure?.(app);
  await app.init();
  const raw = app.get<RawHttp>(RAW_HTTP);
  const server: Server = app.getHttpServer();
  const state = { isDraining: false };
  const dependencies = () =>
    state.isDraining ? [draining] : [...(raw.dependencies?.() ?? []), ...(engines?.() ?? [])];
  const taken = takeRequests({ server, raw, state, dependencies, isTls: tls !== undefined });
  const fastPath = raw.plain && new HttpFastPath(server, { handler: raw.plain, keepAliveMs });
  const inFlight = () => taken.inFlight + (fastPath?.inFlight ?? 0);
  const adminPort = portOf(settings, adminPortSetting);
  const admin =
    adminPort === undefined
      ? undefined
      : await listenForAdmins({ name, port: adminPort, settings, raw, engines, dependencies, inFlight, logger });
  drainOnSignals({ app, server, fastPath, raw, logger, state, admin, tracing });
  const bind = bindOf(settings, internalBindSetting ?? 'CAIRN_BIND');
  await listen(server, portOf(settings, portSetting) ?? 0, bind);
  const { port } = server.address() as AddressInfo;
  logger.info({ port, bind, tls: tls !== undefined }, `${name} listens`);
  // Tells a supervisor the port, also where the setting is 0, and that this process listens on it.
  process.send?.({ kind: 'listening', port });
}

const draining: Dependency = { name: 'service', problem: 'the service is shutting down' };

function portOf(settings: object, name: string): number | undefined {
  return (settings as Readonly<Record<string, number | undefined>>)[name];
}

function bindOf(settings: object, name: string): string {
  return (settings as Readonly<Record<string, string>>)[name] ?? '127.0.0.1';
}

/** Opens the port for operators. */
async function listenForAdmins({
  name,
  port,
  settings,
  raw,
  engines,
  dependencies,
  inFlight,
  logger,
}: {
  readonly name: string;
  readonly port: number;
  readonly settings: CommonSettings;
  readonly raw: RawHttp;
  readonly engines: (() => readonly Engine[]) | undefined;
  readonly dependencies: () => readonly Dependency[];
  readonly inFlight: () => number;
  readonly logger: Logger;
}): Promise<AdminServer> {
  const registry = createRegistry(name);
  registerGauge(registry, 'cairn_requests_in_flight', 'HTTP requests whose response has not ended.', inFlight);
  raw.registerMetrics?.(registry);
  if (engines !== undefined) registerEngineMetrics(registry, engines);
  const host = settings.CAIRN_ADMIN_BIND;
  const admin = new AdminServer({ port, host, hosts: trustedHosts(settings), registry, dependencies });
  logger.info({ adminPort: await admin.listen() }, 'the admin port serves metrics and health');
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

function fail(message: string): never {
  console.error(message);
  process.exit(1);
}
