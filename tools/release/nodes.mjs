// Installed Node versions that Cairn supports.
import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import { homedir } from 'node:os';
import { delimiter, join } from 'node:path';

/**
 * Returns one executable for each installed Node of 20, 22 and 24: the current one first, then those in
 * `REHEARSE_NODES` (paths, as in PATH), `node20`, `node22` and `node24` in PATH, and nvm's.
 */
export function installedNodes() {
  const nvm = join(process.env.NVM_DIR ?? join(homedir(), '.nvm'), 'versions', 'node');
  const candidates = [
    process.execPath,
    ...(process.env.REHEARSE_NODES ?? '').split(delimiter).filter(Boolean),
    ...(process.env.PATH ?? '')
      .split(delimiter)
      .flatMap((path) => ['20', '22', '24'].map((n) => join(path, `node${n}`))),
    ...(existsSync(nvm) ? readdirSync(nvm).map((version) => join(nvm, version, 'bin', 'node')) : []),
  ];
  const found = new Map();
  for (const path of candidates) {
    if (!existsSync(path)) continue;
    const version = execFileSync(path, ['-p', 'process.versions.node'], { encoding: 'utf8' }).trim();
    const [major = 0, minor = 0] = version.split('.').map(Number);
    const fits = (major === 20 && minor >= 19) || (major === 22 && minor >= 12) || major === 24;
    if (fits && !found.has(major)) found.set(major, { major, version, path });
  }
  return [...found.values()];
}
