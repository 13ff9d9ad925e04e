#!/usr/bin/env node
// `npm run dev`: runs the services as `npm start` does. Then builds each package whose source changes and restarts the
// services that contain it.
import { join, relative, sep } from 'node:path';
import { nx, requireNode, root } from '../lib/toolchain.mjs';
import { exitCodeOf, prepareServices, spawnUp } from '../lib/up.mjs';
import { readPackages, servicesReached } from './packages.mjs';
import { Rebuild } from './rebuild.mjs';

requireNode();
await prepareServices();
// Imported here because `prepareServices` installs it.
const { watch } = await import('chokidar');

const services = ['storage-api', 'rpc-gateway', 'ipfs-gateway', 'ipfs-peer', 'console'];
const directoryOf = (service) => `apps/${service}`;
const packages = readPackages(root);
const stop = new AbortController();
let child = start();

function start() {
  const up = spawnUp(process.argv.slice(2));
  up.once('close', (code, signal) => {
    if (child !== up) return;
    stop.abort();
    void watcher.close().finally(() => process.exit(exitCodeOf(code, signal)));
  });
  return up;
}

/** Builds packages, what they depend on, and the bundles of services that contain them. Prints the output of a build that fails. */
async function build(names) {
  const lines = [];
  const bundles = servicesReached(packages, names, services.map(directoryOf));
  const projects = [...new Set([...names, ...bundles])].map((name) => packages.get(name).project).join(',');
  const args = ['run-many', '-t', 'build', `--projects=${projects}`, '--output-style=static'];
  const code = await nx(args, { onOutput: (chunk) => lines.push(chunk), signal: stop.signal });
  if (code !== 0 && !stop.signal.aborted) process.stderr.write(Buffer.concat(lines));
  return code === 0;
}

function restart(names) {
  const directories = servicesReached(packages, names, services.map(directoryOf));
  const reached = services.filter((service) => directories.includes(directoryOf(service)));
  if (names.includes('apps/cairn')) return restartCommand();
  if (reached.length === 0) console.log('No service contains the change.');
  else if (child.connected) child.send({ kind: 'restart', services: reached });
}

/** Restarts the command with its services after a change of the command itself. */
function restartCommand() {
  console.log('Restarting cairn up …');
  const ending = child;
  child = undefined;
  ending.once('close', () => {
    if (!stop.signal.aborted) child = start();
  });
  ending.kill('SIGTERM');
}

const rebuild = new Rebuild({ build, restart, report: (line) => console.log(line) });
const directories = [...packages.values()].flatMap(({ directory }) => [join(directory, 'src'), join(directory, 'web')]);
const watcher = watch(directories, {
  ignoreInitial: true,
  ignored: (path) => /[/\\](?:node_modules|dist)(?:[/\\]|$)|\.(?:spec|bench|fixture)\.\w+$|~$|\.sw\w$/.test(path),
});
watcher.on('all', (event, path) => {
  if (event === 'addDir' || event === 'unlinkDir') return;
  rebuild.changed(relative(root, path).split(sep).slice(0, 2).join('/'));
});
watcher.once('ready', () => console.log('Watching the sources of apps and libs.'));

for (const signal of ['SIGINT', 'SIGTERM'])
  process.on(signal, () => {
    stop.abort();
    rebuild.stop();
    if (child) child.kill(signal);
    else process.exit(exitCodeOf(null, signal));
  });
