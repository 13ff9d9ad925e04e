import { errorText } from '@cairn/errors';
import { loadSettings } from '@cairn/service-kit';
import type { Command } from 'commander';
import { type Addresses, addressOf, banner } from '../banner.ts';
import { type DemoAccount, ensureDemoAccount, ensureOperator } from '../demo-account.ts';
import { print } from '../print.ts';
import { type CommandSettings, settingsShape } from '../settings.ts';
import { withAuth, withMembers } from '../stores.ts';
import { Supervisor } from '../supervise.ts';
import type { Service } from '../supervised-process.ts';
import { topCommand } from '../top-commands.ts';
import { loadServiceSettings, requireServices, services } from '../workspace.ts';

type PortSetting =
  | 'STORAGE_API_PORT'
  | 'RPC_GATEWAY_PORT'
  | 'IPFS_GATEWAY_PORT'
  | 'IPFS_PEER_API_PORT'
  | 'CONSOLE_PORT';

/** `cairn up`: `npm start` runs it after the build. */
export function addUpCommand(program: Command): void {
  topCommand(program, 'up')
    .option('--check-config', 'only check the settings')
    .option('--json', 'print the addresses and the key as one line of JSON when all services are ready')
    .action(async ({ checkConfig, json }: { readonly checkConfig?: boolean; readonly json?: boolean }) => {
      requireServices();
      const settings = loadSettings({ ...(await loadServiceSettings()), ...settingsShape });
      const { networksOf } = await import('../networks.ts');
      networksOf(settings);
      if (checkConfig) print({ isValid: true }, { json }, ['The settings are good.']);
      else process.exitCode = await up(settings, json === true);
    });
}

async function up(settings: CommandSettings, json: boolean): Promise<number> {
  const supervisor = new Supervisor();
  const stop = new AbortController();
  let lastSignal = Number.NEGATIVE_INFINITY;
  const onSignal = () => {
    // One press of Ctrl-C may arrive twice, from the terminal and from a parent. A person presses more slowly.
    const isRepeated = performance.now() - lastSignal < 500;
    lastSignal = performance.now();
    if (isRepeated) return;
    stop.abort(new Error('Stopped.'));
    supervisor.stop();
  };
  process.on('SIGINT', onSignal);
  process.on('SIGTERM', onSignal);
  // Ends with its parent process.
  process.on('disconnect', onSignal);
  const onMessage = (message: unknown) => void restartServices(supervisor, message);
  process.on('message', onMessage);
  try {
    await importNetworks(settings, stop.signal);
    const addresses = await startServices(supervisor, settings);
    // Created last: a failed start must not lose a secret that is shown once.
    const demo = await ensureDemo();
    print({ addresses, ...demo }, { json }, banner(settings, addresses, demo));
    return await supervisor.wait();
  } catch (error) {
    if (!stop.signal.aborted) supervisor.stop();
    await supervisor.wait();
    if (stop.signal.aborted) return 0;
    throw error;
  } finally {
    if (stop.signal.aborted) console.log('Stopped.');
    // An open channel would keep this process alive, while its parent waits for its end.
    process.off('disconnect', onSignal);
    process.off('message', onMessage);
    if (process.connected) process.disconnect();
  }
}

/** Restarts the services that a parent names after it has rebuilt them (`npm run dev`). */
async function restartServices(supervisor: Supervisor, message: unknown): Promise<void> {
  if (typeof message !== 'object' || message === null || !('services' in message)) return;
  if (!Array.isArray(message.services)) return;
  const restart = async (name: string) => {
    const started = performance.now();
    try {
      if (!(await supervisor.restart(name))) return;
      console.log(`${name} runs the new build after ${((performance.now() - started) / 1000).toFixed(1)} s.`);
    } catch (error) {
      console.error(errorText(error));
    }
  };
  await Promise.all(message.services.map((name) => restart(String(name))));
}

/** Starts the services and resolves with their addresses. The console receives the ports of the others. */
async function startServices(supervisor: Supervisor, settings: CommandSettings): Promise<Addresses> {
  // Info lines of the services would hide the banner; warnings and errors still show.
  const common: Record<string, string> = { LOG_LEVEL: process.env.LOG_LEVEL ?? 'warn' };
  // Uploads create garbage outside of the heap, which is freed with the young generation: a small one is collected
  // often. With 4 or 8 MiB, an add of 256 MiB took about 45 percent more CPU time on a busy machine. With 8 MiB, an add of 4 KiB
  // took a quarter less. tools/bench/peers.mjs has rows for both.
  const nodeOptions = ['--max-semi-space-size=2'];
  // By default, the old generation grows to four times its live objects before it is collected. The bench is tools/bench/peers.mjs,
  // row `memory of storage-api`. At 50 percent, an add of 1 GiB took 12 % more CPU time than at 150.
  // A large upload causes many collections. In these V8 forgets compiled functions that the upload does not use: the next `pin/rm`
  // took 13 to 23 ms, and 8 to 10 ms with all functions kept.
  const storageOptions = [...nodeOptions, '--heap-growing-percent=150', '--no-flush-bytecode'];
  // Fetched blocks count as growth of the old generation. By default, V8 marks the whole heap after every 10 MiB of a fetch,
  // with helper threads that compete for the same cores. The bench is tools/bench/ipfs-peer/services.mjs.
  const peerOptions = ['--max-semi-space-size=8', '--heap-growing-percent=200', '--single-threaded-gc'];
  // The young generation stays as large as it became under load: 32 MiB in each process by default. With 8 MiB, no row of
  // tools/bench/peers.mjs took more CPU time; with 4 MiB, traces did.
  const gatewayOptions = ['--max-semi-space-size=8'];
  const start = async (name: keyof typeof services, portSetting: PortSetting, more: Partial<Service> = {}) => {
    console.log(`Starting ${name} …`);
    const env = { ...common, ...more.env };
    const readyUrl = (port: number) => `${addressOf(settings, port)}/readyz`;
    const port = await supervisor.start({ name, main: services[name], portSetting, readyUrl, ...more, env });
    return addressOf(settings, port);
  };
  let peer: Promise<string> | undefined;
  if (settings.CAIRN_IPFS_PEER === 'on' && settings.IPFS_PEER_URL === undefined) {
    const at = (port: number) => `http://${settings.IPFS_PEER_API_BIND}:${port}`;
    peer = start('ipfs-peer', 'IPFS_PEER_API_PORT', {
      nodeOptions: peerOptions,
      readyUrl: (listening) => `${at(listening)}/readyz`,
    }).catch((cause: unknown) => {
      throw new Error(`${errorText(cause)} With CAIRN_IPFS_PEER=off the other services start without it.`, { cause });
    });
    // Awaited last: without a handler, a failure before that would end the process.
    peer.catch(() => {});
    // The others connect to it in the background. They wait only for a port that is not known before.
    const { IPFS_PEER_API_PORT: known } = settings;
    common.IPFS_PEER_URL = at(known === 0 ? Number(new URL(await peer).port) : known);
  }
  const backends = Promise.all([
    start('storage-api', 'STORAGE_API_PORT', { nodeOptions: storageOptions }),
    start('rpc-gateway', 'RPC_GATEWAY_PORT', { nodeOptions: gatewayOptions }),
  ]);
  const ipfsGateway = start('ipfs-gateway', 'IPFS_GATEWAY_PORT', { nodeOptions });
  // Awaited last: without a handler, a failure before that would end the process.
  ipfsGateway.catch(() => {});
  const { STORAGE_API_PORT, RPC_GATEWAY_PORT, IPFS_GATEWAY_PORT } = settings;
  // With known ports all start concurrently; otherwise the console waits for the ports of the others.
  const env: Record<string, string> =
    STORAGE_API_PORT === 0 || RPC_GATEWAY_PORT === 0 ? await backends.then(urlSettings) : {};
  const isNamed = 'CAIRN_IPFS_GATEWAY_URL' in settings && settings.CAIRN_IPFS_GATEWAY_URL !== undefined;
  if (IPFS_GATEWAY_PORT === 0) env.CAIRN_IPFS_GATEWAY_URL = await ipfsGateway;
  // Without the name the console takes a gateway that does not answer for one that is not deployed.
  else if (!isNamed) env.CAIRN_IPFS_GATEWAY_URL = addressOf(settings, IPFS_GATEWAY_PORT);
  const [[storage, gateway], ipfs, pages] = await Promise.all([
    backends,
    ipfsGateway,
    start('console', 'CONSOLE_PORT', { env }),
    peer,
  ]);
  return { storage, gateway, ipfs, console: pages };
}

function urlSettings([storage, gateway]: readonly [string, string]): Record<string, string> {
  return { CAIRN_STORAGE_URL: storage, CAIRN_GATEWAY_URL: gateway };
}

async function importNetworks(settings: CommandSettings, signal: AbortSignal): Promise<void> {
  console.log(`Stores are in ${settings.CAIRN_HOME}`);
  const [{ networksOf }, { isLocalNetwork }, { importNetwork }] = await Promise.all([
    import('../networks.ts'),
    import('@cairn/chain-store'),
    import('../import-network.ts'),
  ]);
  for (const network of networksOf(settings).filter(isLocalNetwork)) await importNetwork(settings, network, { signal });
}

async function ensureDemo(): Promise<DemoAccount> {
  const key = await withAuth(ensureDemoAccount, { mayCreate: true });
  return { key, operator: await withMembers(ensureOperator) };
}
