import { writeSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { errorChain, errorText } from '@cairn/errors';
import { createLogger, type Logger } from '../logger.ts';
import { ownOpenFilesAdvice } from '../open-files.ts';
import { type WorkerStart, workerVariable } from '../processes/messages.ts';
import { singleProcess } from '../processes/process-group.ts';
import { primaryChannel, WorkerGroup } from '../processes/worker-group.ts';
import { loadSettings, type Settings } from '../settings/load-settings.ts';
import type { SettingsShape } from '../settings/settings-shape.ts';
import { listenersOf, type ServiceOptions } from './service-options.ts';
import { startFailure } from './start-failure.ts';

/** Processes of a service without a setting, at most: each one has memory of its own. */
const defaultProcessesMax = 8;

/**
 * Runs a service: settings, logger, Nest application, listening, and a drain at SIGTERM or SIGINT that ends with exit
 * code 0. A second signal ends it immediately. `--check-config` only checks the settings. With several processes this one
 * becomes the primary process, which starts, replaces and ends the others.
 */
export async function runService<Shape extends SettingsShape>(options: ServiceOptions<Shape>): Promise<void> {
  const { name, argv = process.argv.slice(2) } = options;
  const unknown = argv.find((argument) => argument !== '--check-config');
  if (unknown !== undefined)
    fail(`${name} does not know ${JSON.stringify(unknown)}. It takes --check-config; all else is a setting.`);
  const start = takeWorkerStart();
  let settings: Settings<Shape>;
  try {
    settings = loadSettings(options.settings);
    // The primary process has checked the settings of its workers.
    if (start === undefined) await options.check?.(settings);
  } catch (error) {
    return fail(errorText(error));
  }
  if (argv.includes('--check-config')) {
    console.log('The settings are good.');
    return;
  }
  const logger = createLogger({ name, level: settings.LOG_LEVEL, slot: start?.slot });
  const advice = start === undefined ? ownOpenFilesAdvice() : undefined;
  if (advice !== undefined) logger.warn(advice);
  try {
    await run(options, { settings, logger, start });
  } catch (error) {
    logger.fatal({ causes: errorChain(error) }, startFailure(error, failureListeners(options, settings)));
    logger.flush();
    process.exit(1);
  }
}

async function run<Shape extends SettingsShape>(
  options: ServiceOptions<Shape>,
  {
    settings,
    logger,
    start,
  }: { readonly settings: Settings<Shape>; readonly logger: Logger; readonly start: WorkerStart | undefined },
): Promise<void> {
  const count = start === undefined ? processesOf(options, settings) : 1;
  if (count > 1) {
    const { runPrimary } = await import('./run-primary.ts');
    return await runPrimary(options, { settings, logger, count });
  }
  const { serve } = await import('./serve.ts');
  if (start === undefined) return await serve(options, { settings, logger, processes: singleProcess });
  endWithPrimary();
  const processes = new WorkerGroup(start, primaryChannel);
  await serve(options, { settings, logger, processes, start });
}

/**
 * Kills this process when its primary process has ended, and at an uncaught exception. Node.js would exit, which waits for an LMDB
 * transaction that waits for this thread: the process would stay forever and keep the write lock of the store.
 */
function endWithPrimary(): void {
  process.prependListener('disconnect', () => process.kill(process.pid, 'SIGKILL'));
  process.on('uncaughtException', (error) => {
    try {
      // Synchronous, since nothing runs after it.
      writeSync(process.stderr.fd, `${error.stack ?? error}\n`);
    } finally {
      process.kill(process.pid, 'SIGKILL');
    }
  });
}

/** Number of processes that the settings choose. A service whose settings have no CAIRN_PROCESSES runs as one. */
function processesOf<Shape extends SettingsShape>(
  { settings: shape }: ServiceOptions<Shape>,
  settings: object,
): number {
  if (!('CAIRN_PROCESSES' in shape)) return 1;
  const { CAIRN_PROCESSES: count } = settings as { readonly CAIRN_PROCESSES?: number };
  return count ?? Math.min(defaultProcessesMax, availableParallelism());
}

/** Takes the task of a worker process from the environment; `undefined` in a process that was started otherwise. */
function takeWorkerStart(): WorkerStart | undefined {
  const text = process.env[workerVariable];
  delete process.env[workerVariable];
  return text === undefined ? undefined : (JSON.parse(text) as WorkerStart);
}

function failureListeners<Shape extends SettingsShape>(options: ServiceOptions<Shape>, settings: Settings<Shape>) {
  const { name, portSetting, adminPortSetting, internalBindSetting: bindSetting = 'CAIRN_BIND' } = options;
  const { port, bind, adminPort, adminBind } = listenersOf(options, settings);
  return {
    name,
    service: { port, portSetting, bind, bindSetting },
    admin: { port: adminPort, portSetting: adminPortSetting, bind: adminBind, bindSetting: 'CAIRN_ADMIN_BIND' },
  };
}

function fail(message: string): never {
  console.error(message);
  process.exit(1);
}
