#!/usr/bin/env node
import { spawn } from 'node:child_process';
// `npm start`: install, build, then `cairn up`, from a bare clone with only Node and npm.
import { join } from 'node:path';
import { build, install, isBuilt, rememberBuild, requireNode, root } from './lib/toolchain.mjs';

requireNode();
const started = Date.now();
await install({ onStart: () => console.log('Cairn: installing …') });
if (!isBuilt()) await buildServices();
console.log(`Cairn: ready to start after ${((Date.now() - started) / 1000).toFixed(1)} s`);

async function buildServices() {
  console.log('Cairn: building …');
  const lines = [];
  const projects = ['@cairn/storage-api', '@cairn/rpc-gateway', '@cairn/console', '@cairn/cli'].join(',');
  const code = await build(['run-many', '-t', 'build', `--projects=${projects}`], {
    onOutput: (chunk) => lines.push(chunk),
  });
  if (code === 0) return rememberBuild();
  process.stderr.write(Buffer.concat(lines));
  console.error('The build failed; see the lines above.');
  process.exit(code);
}

// In a process group of its own: signals reach it once, through here, whoever sends them. The channel ends it when this
// process is killed.
const child = spawn(
  process.execPath,
  [join(root, 'apps', 'cairn', 'dist', 'main.js'), 'up', ...process.argv.slice(2)],
  {
    cwd: root,
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
    detached: true,
  },
);
for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => child.kill(signal));
child.once('close', (childCode, signal) => process.exit(childCode ?? (signal === 'SIGINT' ? 130 : 143)));
