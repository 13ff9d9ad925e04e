import { loadSettings, type Settings } from '@cairn/service-kit';
import type { Command } from 'commander';
import { addressesOf, banner } from '../banner.ts';
import { type DemoAccount, ensureDemoAccount, ensureOperator } from '../demo-account.ts';
import { withAuth, withMembers } from '../stores.ts';
import { Supervisor } from '../supervise.ts';
import { services } from '../workspace.ts';

/** `cairn up`: what `npm start` runs after the build. */
export function addUpCommand(program: Command): void {
  program
    .command('up')
    .description('Imports the networks, makes the demo account and runs all services until Ctrl-C.')
    .option('--check-config', 'only check the settings')
    .action(async ({ checkConfig }: { readonly checkConfig?: boolean }) => {
      const settings = loadSettings();
      const { networksOf } = await import('../networks.ts');
      networksOf(settings);
      if (checkConfig) console.log('The settings are good.');
      else process.exitCode = await up(settings);
    });
}

async function up(settings: Settings): Promise<number> {
  const supervisor = new Supervisor();
  const stop = new AbortController();
  let lastSignal = Number.NEGATIVE_INFINITY;
  const onSignal = () => {
    // One press of Ctrl-C may arrive twice, from the terminal and from a parent; a person is slower.
    const isRepeated = performance.now() - lastSignal < 500;
    lastSignal = performance.now();
    if (isRepeated) return;
    stop.abort(new Error('Stopped.'));
    supervisor.stop();
  };
  process.on('SIGINT', onSignal);
  process.on('SIGTERM', onSignal);
  // Started by another process, it ends with that one.
  process.on('disconnect', onSignal);
  try {
    const demo = await prepare(settings, stop.signal);
    await startServices(supervisor, settings);
    for (const line of banner(settings, demo)) console.log(line);
    return await supervisor.wait();
  } catch (error) {
    if (!stop.signal.aborted) supervisor.stop();
    await supervisor.wait();
    if (stop.signal.aborted) return 0;
    throw error;
  } finally {
    // An open channel would keep this process alive, and its parent waits for its end.
    process.off('disconnect', onSignal);
    if (process.connected) process.disconnect();
  }
}

async function startServices(supervisor: Supervisor, settings: Settings): Promise<void> {
  const { storage, gateway, console: pages } = addressesOf(settings);
  // Their lines would drown what is printed here; what goes wrong is still told.
  const env = { LOG_LEVEL: process.env.LOG_LEVEL ?? 'warn' };
  // Uploads make garbage outside of the heap, which is let go of with the young generation: a small one, often.
  const nodeOptions = ['--max-semi-space-size=2'];
  await Promise.all([
    supervisor.start({
      name: 'storage-api',
      main: services['storage-api'],
      env,
      nodeOptions,
      readyUrl: `${storage}/readyz`,
    }),
    supervisor.start({ name: 'rpc-gateway', main: services['rpc-gateway'], env, readyUrl: `${gateway}/readyz` }),
    supervisor.start({ name: 'console', main: services.console, env, readyUrl: `${pages}/readyz` }),
  ]);
}

async function prepare(settings: Settings, signal: AbortSignal): Promise<DemoAccount> {
  console.log(`Stores are in ${settings.CAIRN_HOME}`);
  const [{ networksOf }, { importNetwork }] = await Promise.all([
    import('../networks.ts'),
    import('../import-network.ts'),
  ]);
  for (const network of networksOf(settings)) await importNetwork(settings, network, signal);
  const key = await withAuth((auth) => ensureDemoAccount(auth, settings));
  return { key, operator: await withMembers(ensureOperator) };
}
