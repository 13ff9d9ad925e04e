// Shared steps of `npm start`, `npm run dev` and `npm test`. Runs before anything is installed: Node's own modules
// only.
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { dirname, isAbsolute, join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const root = dirname(dirname(dirname(fileURLToPath(import.meta.url))));
/** Such as `pnpm@12.21.0`. Declared once; nx reads it there too, and starts no `pnpm` for its version. */
const { packageManager } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));

/** Exits with one plain sentence when this Node cannot run Cairn. */
export function requireNode() {
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
  const fits = major > 22 || (major === 22 && minor >= 12) || (major === 20 && minor >= 19);
  if (fits) return;
  console.error(
    `Cairn needs Node 20.19 or newer, 22.12 or newer, or 24; this is ${process.version}. Install one and try again.`,
  );
  process.exit(1);
}

/**
 * Runs a program in the root of the repository and resolves with its exit code (128 + n for signal n).
 * `onOutput` gets its standard output and error, which are otherwise passed through. `signal` terminates it.
 */
export function run(command, args, { env = {}, onOutput, signal } = {}) {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, {
      cwd: root,
      env: { ...process.env, ...env },
      signal,
      stdio: onOutput ? ['ignore', 'pipe', 'pipe'] : 'inherit',
      shell: process.platform === 'win32',
    });
    if (onOutput) {
      child.stdout.on('data', onOutput);
      child.stderr.on('data', onOutput);
    }
    child.once('error', (error) => (error.name === 'AbortError' ? undefined : reject(error)));
    child.once('close', (code, endedBy) => resolve(code ?? (endedBy === 'SIGINT' ? 130 : 143)));
  });
}

/**
 * Runs the package manager of this workspace; resolves with its exit code. npx takes seconds, so its path of pnpm is
 * cached in the environment, also for child processes.
 */
export async function pnpm(args, options = {}) {
  process.env.PNPM_PATH ??= await findPnpm();
  if (process.env.PNPM_PATH !== '') return run(process.env.PNPM_PATH, args, options);
  return run('npx', ['--yes', packageManager, ...args], options);
}

/** Returns the path of the package manager, or an empty text when the shell finds none. */
async function findPnpm() {
  const chunks = [];
  const onOutput = (chunk) => chunks.push(chunk);
  const code = await run('npx', ['--yes', '--package', packageManager, '--call', 'command -v pnpm'], {
    onOutput,
  });
  // npm prints more lines than the answer.
  const lines = Buffer.concat(chunks).toString().split('\n');
  const path = lines.map((line) => line.trim()).find((line) => isAbsolute(line) && existsSync(line));
  return code === 0 ? (path ?? '') : '';
}

/** Installs the dependencies of the lockfile through npx, unless the lockfile is that of the last install. */
export async function install({ onStart = () => {} } = {}) {
  if (readIfPresent(installStamp) === installHash()) return;
  onStart();
  const lines = [];
  const code = await pnpm(['install', '--frozen-lockfile', '--reporter=append-only'], {
    env: { CI: 'true' },
    onOutput: (chunk) => lines.push(chunk),
  });
  if (code !== 0) {
    process.stderr.write(Buffer.concat(lines));
    console.error('The install failed. It needs the npm registry; see the lines above.');
    process.exit(code);
  }
  rememberInstall();
}

const installStamp = join(root, 'node_modules', '.cairn-installed');

function installHash() {
  const lockfile = readFileSync(join(root, 'pnpm-lock.yaml'));
  return createHash('sha256').update(lockfile).update(process.version).digest('hex');
}

/** Records that the dependencies of the lockfile are installed. */
export function rememberInstall() {
  writeFileSync(installStamp, installHash());
}

/** Runs nx without its daemon and its cloud; resolves with its exit code. */
export function nx(args, options = {}) {
  const bin = join(root, 'node_modules', 'nx', 'dist', 'bin', 'nx.js');
  return run(process.execPath, [bin, ...args], {
    ...options,
    env: { NX_DAEMON: 'false', NX_NO_CLOUD: 'true', NX_TUI: 'false', ...options.env },
  });
}

const stampFile = join(root, 'node_modules', '.cairn-built');

/** Hashes names, sizes and times of all inputs of a build. */
function sourcesHash() {
  const hash = createHash('sha256').update(process.version);
  const add = (path) => {
    const { size, mtimeMs } = statSync(path);
    hash.update(`${path}\0${size}\0${mtimeMs}\n`);
  };
  for (const file of ['package.json', 'pnpm-lock.yaml', 'tsconfig.base.json', 'nx.json']) add(join(root, file));
  for (const kind of ['apps', 'libs'])
    for (const name of readdirSync(join(root, kind)).sort()) {
      const directory = join(root, kind, name);
      for (const part of ['package.json', 'tsconfig.build.json', 'dist']) {
        if (existsSync(join(directory, part))) add(join(directory, part));
        else hash.update(`no ${name}/${part}\n`);
      }
      for (const part of ['src', 'web'])
        if (existsSync(join(directory, part)))
          for (const entry of readdirSync(join(directory, part), { recursive: true, withFileTypes: true }))
            if (entry.isFile() && !entry.parentPath.includes('node_modules')) add(join(entry.parentPath, entry.name));
    }
  return hash.digest('hex');
}

/** Reports whether nothing has changed since the last build that {@link rememberBuild} saw. */
export function isBuilt() {
  return readIfPresent(stampFile) === sourcesHash();
}

/** Records the inputs of the build that just succeeded. */
export function rememberBuild() {
  writeFileSync(stampFile, sourcesHash());
}

/**
 * Builds projects and their dependencies; resolves with the exit code. `CI_IS_BUILT=1` skips it: another build would
 * remove files for a moment that running tests load.
 */
export function build(targets, options = {}) {
  if (process.env.CI_IS_BUILT === '1') return 0;
  return nx([...targets, '--output-style=static'], options);
}

function readIfPresent(path) {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return undefined;
  }
}
