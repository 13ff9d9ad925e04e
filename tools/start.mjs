#!/usr/bin/env node
import { spawn } from 'node:child_process';
// `npm start`: install, build, then `cairn up`, from a bare clone with only Node and npm.
import { join } from 'node:path';
import { install, nx, requireNode, root } from './lib/toolchain.mjs';

requireNode();
const started = Date.now();
console.log('Cairn: installing …');
await install();
console.log('Cairn: building …');
const lines = [];
const code = await nx(
  ['run-many', '-t', 'build', '--projects=@cairn/storage-api,@cairn/rpc-gateway,@cairn/cli', '--output-style=static'],
  {
    onOutput: (chunk) => lines.push(chunk),
  },
);
if (code !== 0) {
  process.stderr.write(Buffer.concat(lines));
  console.error('The build failed; see the lines above.');
  process.exit(code);
}
console.log(`Cairn: ready to start after ${((Date.now() - started) / 1000).toFixed(1)} s`);

// A terminal sends Ctrl-C to the whole process group, a supervisor sends SIGTERM to this process alone: pass that on,
// and stay until the services have drained.
const child = spawn(
  process.execPath,
  [join(root, 'apps', 'cairn', 'dist', 'main.js'), 'up', ...process.argv.slice(2)],
  {
    cwd: root,
    stdio: 'inherit',
  },
);
process.on('SIGINT', () => {});
process.on('SIGTERM', () => child.kill('SIGTERM'));
child.once('close', (childCode, signal) => process.exit(childCode ?? (signal === 'SIGINT' ? 130 : 143)));
