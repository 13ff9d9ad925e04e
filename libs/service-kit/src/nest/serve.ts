import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { INestApplication } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import type { Registry } from 'prom-client';
import { AdminServer, createRegistry } from '../admin/admin-server.ts';
import { logEngines } from '../admin/engine-log.ts';
import { registerEngineMetrics } from '../admin/engine-metrics.ts';
import { registerGauge } from '../admin/gauges.ts';
import type { Dependency } from '../health.ts';
import { trustedHosts } from '../host-check.ts';
import { HttpFastPath } from '../http-fast-path/http-fast-path.ts';
import { type Logger, nestLogger } from '../logger.ts';
import { collectWhenIdle } from '../processes/collect-when-idle.ts';
import type { WorkerStart } from '../processes/messages.ts';
import { type ProcessGroup, shareOf } from '../processes/process-group.ts';
import { WorkerGroup } from '../processes/worker-group.ts';
import { RAW_HTTP, type RawHttp } from '../raw-http.ts';
import type { Settings } from '../settings/load-settings.ts';
import type { SettingsShape } from '../settings/settings-shape.ts';
import { openTracing } from '../tracing/open-tracing.ts';
import { drainOnSignals } from './drain-on-signals.ts';
import { RawHttpAdapter } from './raw-http-adapter.ts';
import { listenersOf, type ServiceOptions, type ServiceParts } from './service-options.ts';
import { keepAliveMs, takeRequests } from './take-requests.ts';

/** Time for a TLS handshake in milliseconds: a connection without one holds a place and has no other deadline. */
const handshakeMs = 10_000;
/** Time that a process waits for its dependencies while other processes serve. Then it listens and reports the problem. */
const readyWithinMs = 30_000;
const readyPollMs = 25;

interface ServeOptions<Shape extends SettingsShape> {
  readonly settings: Settings<Shape>;
  readonly logger: Logger;
  readonly processes: ProcessGroup;
  /** Present in a worker process. */
  readonly start?: WorkerStart;
}

/** Serves requests in this process: all of a service, or those that its primary process passes to it. */
export async function serve<Shape extends SettingsShape>(
  options: ServiceOptions<Shape>,
  { settings, logger, processes, start }: ServeOptions<Shape>,
): Promise<void> {
  const { name } = options;
  const parts = await options.load();
  const tracing = await openTracing({
    service: name,
    onProblem: (problem) => logger.warn({ problem }, 'traces are lost'),
  });
  const hasTls = options.internalBindSetting === undefined && settings.tls !== undefined;
  const app = await createApp(parts, { settings, logger, tracing, processes }, hasTls);
  const raw = app.get<RawHttp>(RAW_HTTP);
  const server: Server = app.getHttpServer();
  const state = { isDraining: false, isLingering: false };
  const dependencies = () =>
    state.isDraining ? [draining] : [...(raw.dependencies?.() ?? []), ...(parts.engines?.() ?? [])];
  const connectionsMax = raw.connectionsMax && shareOf(raw.connectionsMax, processes);
  const taken = takeRequests({ server, raw, state, dependencies, isTls: hasTls, connectionsMax });
  const fastPath = raw.plain && new HttpFastPath(server, { handler: raw.plain, keepAliveMs });
  const registry = registryOf(name, raw, parts, () => taken.inFlight + (fastPath?.inFlight ?? 0));
  const { port, bind, adminPort, adminBind } = listenersOf(options, settings);
  const worker = processes instanceof WorkerGroup ? processes : undefined;
  let admin: AdminServer | undefined;
  if (adminPort !== undefined && worker === undefined) {
    admin = new AdminServer({
      port: adminPort,
      host: adminBind,
      hosts: trustedHosts(settings),
      registry,
      dependencies,
    });
    logger.info({ adminPort: await admin.listen() }, 'the admin port serves metrics and health');
  }
  collectWhenIdle();
  if (parts.engines !== undefined) logEngines(parts.engines, logger);
  drainOnSignals({ app, server, fastPath, raw, logger, state, admin, tracing, worker, registry, dependencies });
  if (start?.listensWhenReady) await readyOrTired(dependencies);
  if (state.isDraining) return;
  await listen(server, port, bind);
  const { port: actualPort } = server.address() as AddressInfo;
  if (worker !== undefined) {
    logger.debug({ pid: process.pid }, 'a process serves');
    return worker.listening(actualPort);
  }
  logger.info({ port: actualPort, bind, tls: hasTls }, `${name} listens`);
  // Tells a supervisor the port, also where the setting is 0, and that this process listens on it.
  process.send?.({ kind: 'listening', port: actualPort });
}

const draining: Dependency = { name: 'service', problem: 'the service is shutting down' };

async function createApp<Shape extends SettingsShape>(
  { module, adapter, configure, headBytesMax }: ServiceParts<Shape>,
  context: Parameters<ServiceParts<Shape>['module']>[0],
  hasTls: boolean,
): Promise<INestApplication> {
  const { settings, logger } = context;
  const httpsOptions = hasTls && settings.tls && { ...settings.tls, handshakeTimeout: handshakeMs };
  const app = await NestFactory.create(module(context), adapter?.() ?? new RawHttpAdapter({ headBytesMax }), {
    bodyParser: false,
    logger: nestLogger(logger),
    abortOnError: false,
    ...(httpsOptions && { httpsOptions }),
  });
  configure?.(app);
  return await app.init();
}

/** Metrics of this process. */
function registryOf<Shape extends SettingsShape>(
  name: string,
  raw: RawHttp,
  { engines }: ServiceParts<Shape>,
  inFlight: () => number,
): Registry {
  const registry = createRegistry(name);
  registerGauge(registry, 'cairn_requests_in_flight', 'HTTP requests whose response has not ended.', inFlight);
  raw.registerMetrics?.(registry);
  if (engines !== undefined) registerEngineMetrics(registry, engines);
  return registry;
}

async function readyOrTired(dependencies: () => readonly Dependency[]): Promise<void> {
  const end = performance.now() + readyWithinMs;
  while (performance.now() < end && dependencies().some(({ problem }) => problem !== undefined))
    await new Promise((resolve) => setTimeout(resolve, readyPollMs));
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
