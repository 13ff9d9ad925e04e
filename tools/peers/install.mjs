#!/usr/bin/env node
// node tools/peers/install.mjs [kubo] [geth] [--minutes 20]: builds the servers that tests compare with, once for each
// version. The binaries are stored in TEST_PEERS_DIR (default ~/.cache/cairn-peers). Without Go, or when the time is
// over, it reports that and exits with 0. Tests that need the peer are then skipped with one line each.
import { spawnSync } from 'node:child_process';
import { mkdirSync, renameSync, rmSync } from 'node:fs';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { peer, peerBinary, peerNames } from './binaries.mjs';

const { values, positionals } = parseArgs({
  options: { minutes: { type: 'string', default: '20' } },
  allowPositionals: true,
});
const minutes = Number(values.minutes);
const unknown = positionals.find((name) => !peerNames.includes(name));
if (unknown !== undefined || !(minutes > 0)) {
  console.error(
    unknown === undefined
      ? `--minutes: expected a number such as 20, got ${JSON.stringify(values.minutes)}.`
      : `There is no peer ${JSON.stringify(unknown)}. Choose from ${peerNames.join(', ')}.`,
  );
  process.exit(2);
}

for (const name of positionals.length > 0 ? positionals : peerNames) install(name);

function install(name) {
  const { version, directory, package: goPackage, path } = peer(name);
  if (peerBinary(name) !== undefined) return console.log(`${name} ${version}: ${path}`);
  if (spawnSync('go', ['version']).status !== 0)
    return console.log(
      `${name} ${version}: not built, Go is not on the path. Install Go 1.26 or newer and run this again.`,
    );
  console.log(`${name} ${version}: building (2 to 35 minutes) …`);
  mkdirSync(dirname(path), { recursive: true });
  const partial = `${path}.${process.pid}`;
  const start = Date.now();
  const { status } = spawnSync('go', ['build', '-o', partial, goPackage], {
    cwd: fileURLToPath(directory),
    stdio: ['ignore', 'inherit', 'inherit'],
    timeout: minutes * 60_000,
  });
  if (status !== 0) {
    rmSync(partial, { force: true });
    return console.log(
      `${name} ${version}: the build failed or took more than ${minutes} minutes; its tests are skipped.`,
    );
  }
  // A rename publishes the whole binary; a killed build leaves none.
  renameSync(partial, path);
  console.log(`${name} ${version}: ${path}, built in ${Math.round((Date.now() - start) / 1000)} s`);
}
