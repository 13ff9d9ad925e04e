// `npm start` and `npm run dev` share these steps. Runs before anything is installed: Node's own modules only.
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { build, install, isBuilt, rememberBuild, root } from './toolchain.mjs';

const projects = [
  '@cairn/storage-api',
  '@cairn/rpc-gateway',
  '@cairn/ipfs-gateway-service',
  '@cairn/ipfs-peer-service',
  '@cairn/console',
  '@cairn/cli',
];

/** Installs and builds the services, unless nothing has changed since the last time. Ends the process when one of both fails. */
export async function prepareServices() {
  const started = Date.now();
  await install({ onStart: () => console.log('Cairn: installing …') });
  if (!isBuilt()) await buildServices();
  console.log(`Cairn: ready to start after ${((Date.now() - started) / 1000).toFixed(1)} s`);
}

async function buildServices() {
  console.log('Cairn: building …');
  const lines = [];
  const code = await build(['run-many', '-t', 'build', `--projects=${projects.join(',')}`], {
    onOutput: (chunk) => lines.push(chunk),
  });
  if (code === 0) return rememberBuild();
  process.stderr.write(Buffer.concat(lines));
  console.error('The build failed; see the lines above.');
  process.exit(code);
}

/**
 * Starts `cairn up` in a process group of its own: signals reach it once, through its parent. The channel ends it when its parent
 * is killed.
 */
export function spawnUp(args = [], env = {}) {
  return spawn(process.execPath, [join(root, 'apps', 'cairn', 'dist', 'main.js'), 'up', ...args], {
    cwd: root,
    env: { ...process.env, ...env },
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
    detached: true,
  });
}

/** Returns the exit code of a shell for a process that ended. */
export function exitCodeOf(code, signal) {
  return code ?? (signal === 'SIGINT' ? 130 : 143);
}
