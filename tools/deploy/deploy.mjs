#!/usr/bin/env node
// node deploy.mjs <storage-api|rpc-gateway|ipfs-gateway|ipfs-peer|console|cairn> <directory> [--no-build]: writes a folder with one service
// and its production dependencies, without links to the workspace. Copy it to the machine that runs the service.
import { cpSync, existsSync, rmSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { build, install, pnpm, requireNode, root } from '../lib/toolchain.mjs';

const packages = {
  'storage-api': '@cairn/storage-api',
  'rpc-gateway': '@cairn/rpc-gateway',
  'ipfs-gateway': '@cairn/ipfs-gateway-service',
  'ipfs-peer': '@cairn/ipfs-peer-service',
  console: '@cairn/console',
  cairn: '@cairn/cli',
};
const [name, target, flag] = process.argv.slice(2);
if (name === undefined || target === undefined || !Object.hasOwn(packages, name)) {
  console.error(`usage: deploy.mjs <${Object.keys(packages).join('|')}> <directory>`);
  process.exit(2);
}
const directory = resolve(target);
if (existsSync(directory)) {
  console.error(`${directory} exists already; name a new directory.`);
  process.exit(1);
}
requireNode();
if (flag !== '--no-build') {
  await install();
  const onOutput = (chunk) => process.stderr.write(chunk);
  const built = await build(['run', `${packages[name]}:build`], { onOutput });
  if (built !== 0) process.exit(built);
}
const deployed = await pnpm(['--filter', packages[name], '--prod', '--legacy', 'deploy', directory], {
  // Runs without a terminal for questions.
  env: { CI: 'true' },
});
if (deployed !== 0) process.exit(deployed);
for (const left of ['src', 'e2e', 'web', 'pictures']) rmSync(join(directory, left), { recursive: true, force: true });
// Network that is served when CAIRN_NETWORKS names none.
if (!['storage-api', 'ipfs-gateway', 'ipfs-peer'].includes(name))
  cpSync(join(root, 'tools/sample-network/network'), join(directory, 'sample-network'), { recursive: true });
// Bill of materials of the folder for vulnerability scanners: CycloneDX 1.6.
const billed = await pnpm([
  ...['--filter', packages[name], 'sbom', '--prod', '--lockfile-only', '--out', join(directory, 'sbom.cdx.json')],
  ...['--sbom-format', 'cyclonedx', '--sbom-spec-version', '1.6', '--sbom-type', 'application'],
]);
if (billed !== 0) process.exit(billed);
console.log(`${name} is in ${directory}: node ${join(directory, 'dist', 'main.js')}`);
