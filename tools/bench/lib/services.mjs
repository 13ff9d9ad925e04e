import { execFileSync, spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';

const main = fileURLToPath(new URL('../../../apps/cairn/dist/main.js', import.meta.url));
const defaultPorts = { storage: 15_001, gateway: 18_545, console: 18_080, ipfs: 18_081 };

/** Starts all services with a new home, fixed credentials and further settings. Call `stop` at the end. */
export async function startServices(home, settings = {}, ports = defaultPorts) {
  const env = {
    ...process.env,
    CAIRN_HOME: home,
    CAIRN_DEMO_KEY: 'bench',
    CAIRN_DEMO_SECRET: 'bench-secret',
    STORAGE_API_PORT: String(ports.storage),
    RPC_GATEWAY_PORT: String(ports.gateway),
    CONSOLE_PORT: String(ports.console),
    IPFS_GATEWAY_PORT: String(ports.ipfs),
    CAIRN_IPFS_PEER: 'off',
    LOG_LEVEL: 'warn',
    // Comparable with earlier results; memory is that of the process.
    CAIRN_PROCESSES: process.env.CAIRN_PROCESSES ?? '1',
    ...settings,
  };
  const child = spawn(process.execPath, [main, 'up'], { env, stdio: ['ignore', 'pipe', 'inherit'] });
  await new Promise((resolve, reject) => {
    let output = '';
    child.stdout.on('data', (text) => {
      output += text;
      if (output.includes('Ctrl-C stops')) resolve();
    });
    child.once('exit', () => reject(new Error(`the services ended: ${output}`)));
  });
  return {
    storage: `http://127.0.0.1:${ports.storage}`,
    gateway: `http://127.0.0.1:${ports.gateway}`,
    authorization: `Basic ${Buffer.from('bench:bench-secret').toString('base64')}`,
    key: 'bench',
    pid: child.pid,
    stop: () => new Promise((resolve) => child.once('exit', resolve) && child.kill('SIGTERM')),
  };
}

/** Returns the process of one service, a child of the process that runs all of them. */
export function servicePid(parent, name) {
  try {
    const children = execFileSync('pgrep', ['-P', String(parent), '-f', name], { encoding: 'utf8' });
    return Number(children.trim().split('\n')[0]);
  } catch {
    return undefined;
  }
}
