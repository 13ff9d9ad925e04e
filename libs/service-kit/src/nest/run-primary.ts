import { errorChain } from '@cairn/errors';
import { AdminServer, createRegistry } from '../admin/admin-server.ts';
import { registerCounter, registerGauge } from '../admin/gauges.ts';
import { trustedHosts } from '../host-check.ts';
import { type Logger, logWritten } from '../logger.ts';
import { GroupMetrics } from '../processes/group-metrics.ts';
import { Supervisor } from '../processes/supervisor.ts';
import type { Settings } from '../settings/load-settings.ts';
import type { SettingsShape } from '../settings/settings-shape.ts';
import { endBySignal } from './end-by-signal.ts';
import { listenersOf, type ServiceOptions } from './service-options.ts';

interface PrimaryOptions<Shape extends SettingsShape> {
  readonly settings: Settings<Shape>;
  readonly logger: Logger;
  readonly count: number;
}

/** Runs the primary process of a service: it serves the admin port, and the worker processes serve the rest. */
export async function runPrimary<Shape extends SettingsShape>(
  options: ServiceOptions<Shape>,
  { settings, logger, count }: PrimaryOptions<Shape>,
): Promise<void> {
  const { name } = options;
  const { bind, adminPort, adminBind } = listenersOf(options, settings);
  const registry = createRegistry(name);
  const supervisor: Supervisor = new Supervisor({
    count,
    shared: (await options.shared?.()) ?? {},
    logger,
    onListening: (port) => {
      const tls = options.internalBindSetting === undefined && settings.tls !== undefined;
      logger.info({ port, bind, tls, processes: count }, `${name} listens`);
      process.send?.({ kind: 'listening', port });
    },
    onStartFailed: (code) => process.exit(code === 0 ? 1 : code),
    onLost: (lost) => void metrics.addEnded(lost).catch(() => {}),
  });
  const metrics = new GroupMetrics(registry, () => supervisor.hub.metrics());
  const serving = () => supervisor.serving;
  registerGauge(registry, 'cairn_processes', 'Processes of the service that listen.', serving);
  const crashes = { name: 'cairn_process_crashes_total', help: 'Processes that ended and were replaced.' };
  registerCounter(registry, { ...crashes, labelNames: [] }, () => [[{}, supervisor.crashes]]);
  const state = { isDraining: false };
  let admin: AdminServer | undefined;
  if (adminPort !== undefined) {
    admin = new AdminServer({
      port: adminPort,
      host: adminBind,
      hosts: trustedHosts(settings),
      registry: metrics,
      dependencies: () =>
        state.isDraining ? [{ name: 'service', problem: 'the service is shutting down' }] : supervisor.dependencies(),
    });
    logger.info({ adminPort: await admin.listen() }, 'the admin port serves metrics and health');
  }
  handleSignals(supervisor, { logger, state, onStopped: () => admin?.close() });
  supervisor.start();
}

function handleSignals(
  supervisor: Supervisor,
  {
    logger,
    state,
    onStopped,
  }: { readonly logger: Logger; readonly state: { isDraining: boolean }; readonly onStopped: () => void },
): void {
  const stop = async (signal: 'SIGINT' | 'SIGTERM') => {
    if (state.isDraining) {
      logger.warn({ signal }, 'second signal: ending immediately');
      logger.flush();
      supervisor.kill();
      endBySignal(signal);
    }
    state.isDraining = true;
    await logWritten(logger, 'info', 'draining', { signal });
    const isClean = await supervisor.stop();
    onStopped();
    logger.info('stopped');
    logger.flush();
    process.exit(isClean ? 0 : 1);
  };
  process.on('SIGINT', () => void stop('SIGINT'));
  process.on('SIGTERM', () => void stop('SIGTERM'));
  process.on('disconnect', () => {
    if (!state.isDraining) void stop('SIGTERM');
  });
  process.on('SIGUSR2', () => {
    if (state.isDraining) return;
    logger.info('replacing the processes one after the other');
    supervisor.roll().then(
      (isComplete) => {
        if (isComplete) logger.info('all processes are replaced');
        else logger.error('a new process did not start: the old ones stay');
      },
      (error: unknown) => logger.error({ causes: errorChain(error) }, 'the processes cannot be replaced'),
    );
  });
}
