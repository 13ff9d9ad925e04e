// Creates a project with the libs installed from the tarballs of a release. Third-party packages are links into the
// workspace, so that no registry is needed; release/rehearse.spec.mjs installs them from a registry.
import { execFile } from 'node:child_process';
import { existsSync, mkdirSync, realpathSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { libs } from '../lib/libs.mjs';
import { pnpm } from '../lib/toolchain.mjs';

const execute = promisify(execFile);

/** Packs every lib and unpacks it into the empty `directory`. */
export async function installLibs(directory) {
  writeFileSync(join(directory, 'package.json'), JSON.stringify({ name: 'page', private: true, type: 'module' }));
  const packs = join(directory, 'packs');
  mkdirSync(packs);
  const lines = [];
  const args = ['-r', '--filter', './libs/*', 'pack', '--pack-destination', packs];
  const code = await pnpm(args, { onOutput: (chunk) => lines.push(chunk) });
  if (code !== 0) throw new Error(`The libs do not pack: ${Buffer.concat(lines)}`);
  for (const lib of libs) {
    const { name, version } = lib.manifest;
    const target = join(directory, 'node_modules', name);
    mkdirSync(target, { recursive: true });
    const pack = join(packs, `${name.replace('@', '').replace('/', '-')}-${version}.tgz`);
    await execute('tar', ['-xzf', pack, '--strip-components=1', '-C', target]);
    linkDependencies(lib, directory);
  }
}

function linkDependencies({ directory: source, manifest }, directory) {
  for (const name of Object.keys(manifest.dependencies ?? {})) {
    const link = join(directory, 'node_modules', name);
    if (name.startsWith('@cairn/') || existsSync(link)) continue;
    mkdirSync(dirname(link), { recursive: true });
    symlinkSync(realpathSync(join(source, 'node_modules', name)), link, 'junction');
  }
}
