import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { peerBinary } from './binaries.mjs';
import { freePort } from './free-port.mjs';
import { runProgram, startServer } from './process.mjs';

/**
 * Starts a real Kubo on a new, empty repository without peers.
 * @param {{ isOffline?: boolean, config?: (config: Record<string, unknown>) => void, env?: Readonly<Record<string, string>>, swarmKey?: string }} [options]
 *   `isOffline` (default true) passes --offline; `config` may change the configuration before the daemon starts; `env`: variables
 *   of the daemon; `swarmKey`: content of `swarm.key`, which makes its network private
 * @returns its URL (without /api/v0), multiaddress, repository, binary and `stop`, or undefined where Kubo is not built
 */
export async function startKubo({
  isOffline = true,
  config: change = () => {},
  env: variables = {},
  swarmKey = undefined,
} = {}) {
  const binary = peerBinary('kubo');
  if (binary === undefined) return undefined;
  const repository = mkdtempSync(join(tmpdir(), 'cairn-kubo-'));
  const env = { IPFS_PATH: repository, IPFS_TELEMETRY: 'off' };
  await runProgram(binary, ['init', '--profile=test'], env);
  const port = await freePort();
  const file = join(repository, 'config');
  const config = JSON.parse(readFileSync(file, 'utf8'));
  config.Addresses = { ...config.Addresses, API: `/ip4/127.0.0.1/tcp/${port}`, Gateway: [], Swarm: [] };
  config.Bootstrap = [];
  config.Routing = { Type: 'none' };
  config.AutoConf = { Enabled: false };
  config.AutoTLS = { Enabled: false };
  config.DNS = { Resolvers: {} };
  config.Ipns = { ...config.Ipns, DelegatedPublishers: [] };
  change(config);
  writeFileSync(file, JSON.stringify(config, null, 2));
  if (swarmKey !== undefined) writeFileSync(join(repository, 'swarm.key'), swarmKey);
  const url = `http://127.0.0.1:${port}`;
  const { child, stop, output } = await startServer({
    name: 'kubo',
    command: binary,
    args: ['daemon', ...(isOffline ? ['--offline'] : [])],
    env: { ...variables, ...env },
    isReady: async () => (await fetch(`${url}/api/v0/version`, { method: 'POST' })).ok,
  });
  return {
    url,
    multiaddr: `/ip4/127.0.0.1/tcp/${port}`,
    repository,
    binary,
    pid: child.pid,
    output,
    stop: async () => {
      await stop();
      rmSync(repository, { recursive: true, force: true });
    },
  };
}
