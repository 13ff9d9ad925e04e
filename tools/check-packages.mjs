#!/usr/bin/env node
// What a team that imports the libs would find: packs each lib, checks the pack with publint and are-the-types-wrong,
// installs all packs into an empty project, imports every entry there and compiles a program against the types.
import { execFile } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { promisify } from 'node:util';
import { root } from './lib/toolchain.mjs';

const run = promisify(execFile);
const work = mkdtempSync(join(tmpdir(), 'cairn-packages-'));
const libs = readdirSync(join(root, 'libs')).filter((name) => existsSync(join(root, 'libs', name, 'package.json')));
const bin = (name) => join(root, 'tools', 'node_modules', '.bin', name);
const faults = [];

/** Packs as a release would: `workspace:^` and `catalog:` become versions, which only this workspace knows. */
async function pack(name, versions) {
  const manifest = JSON.parse(readFileSync(join(root, 'libs', name, 'package.json'), 'utf8'));
  const directory = join(work, 'src', name);
  await run('cp', ['-r', join(root, 'libs', name), directory]);
  rmSync(join(directory, 'node_modules'), { recursive: true, force: true });
  const pinned = (dependencies = {}) =>
    Object.fromEntries(Object.entries(dependencies).map(([key]) => [key, versions[key]]));
  const { devDependencies: _, nx: __, scripts: ___, ...published } = manifest;
  const released = {
    ...published,
    dependencies: pinned(manifest.dependencies),
    peerDependencies: pinned(manifest.peerDependencies),
  };
  writeFileSync(join(directory, 'package.json'), JSON.stringify(released, null, 2));
  const { stdout } = await run('npm', ['pack', '--silent', '--pack-destination', work], { cwd: directory });
  return { name, manifest, directory, tarball: join(work, stdout.trim().split('\n').at(-1)) };
}

/** Versions of third-party packages as the workspace has installed them, and of its own. */
function installedVersions() {
  const versions = {};
  for (const name of libs) {
    const manifest = JSON.parse(readFileSync(join(root, 'libs', name, 'package.json'), 'utf8'));
    versions[manifest.name] = `^${manifest.version}`;
    for (const dependency of Object.keys({ ...manifest.dependencies, ...manifest.peerDependencies })) {
      const file = join(root, 'libs', name, 'node_modules', dependency, 'package.json');
      if (!dependency.startsWith('@cairn/') && existsSync(file))
        versions[dependency] = `^${JSON.parse(readFileSync(file, 'utf8')).version}`;
    }
  }
  return versions;
}

async function check(what, command, args, options = {}) {
  try {
    await run(command, args, { maxBuffer: 64 * 1024 * 1024, ...options });
    console.log(`ok    ${what}`);
  } catch (error) {
    faults.push(what);
    console.log(`FAIL  ${what}\n${error.stdout ?? ''}${error.stderr ?? ''}`);
  }
}

async function checkFiles({ name, manifest, directory }) {
  const missing = ['license', 'repository', 'description', 'engines', 'files', 'keywords'].filter(
    (field) => !(field in manifest),
  );
  const readme = readFileSync(join(directory, 'README.md'), 'utf8');
  if (!/```(ts|typescript|js)\n/.test(readme)) missing.push('a runnable example in README.md');
  if (missing.length > 0) faults.push(`${name}: package.json or README has no ${missing.join(', ')}`);
}

try {
  mkdirSync(join(work, 'src'));
  const versions = installedVersions();
  const packs = await Promise.all(libs.map((name) => pack(name, versions)));
  for (const packed of packs) {
    await checkFiles(packed);
    await check(`${packed.manifest.name}: publint`, bin('publint'), ['run', packed.tarball, '--strict']);
    // Consumers on CommonJS use require(esm), which this tool words as "cjs-resolves-to-esm".
    await check(`${packed.manifest.name}: types`, bin('attw'), [packed.tarball, '--profile', 'esm-only', '--no-emoji']);
  }
  await checkInstall(packs);
} finally {
  rmSync(work, { recursive: true });
}
for (const fault of faults) console.error(`fault: ${fault}`);
process.exit(faults.length > 0 ? 1 : 0);

async function checkInstall(packs) {
  const project = join(work, 'project');
  mkdirSync(project);
  const tarballs = Object.fromEntries(packs.map(({ manifest, tarball }) => [manifest.name, `file:${tarball}`]));
  const manifest = { name: 'consumer', private: true, type: 'module', dependencies: tarballs, overrides: tarballs };
  writeFileSync(join(project, 'package.json'), JSON.stringify(manifest));
  await check(
    'all packs install into an empty project',
    'npm',
    ['install', '--no-audit', '--no-fund', '--prefer-offline', '--omit=peer'],
    { cwd: project },
  );
  const cores = packs.flatMap(({ manifest: { name, exports } }) =>
    Object.keys(exports)
      .filter((entry) => entry === '.' || entry === './ethereumjs')
      .map((entry) => name + entry.slice(1)),
  );
  const esm = `${cores.map((name, index) => `import * as m${index} from '${name}';`).join('\n')}\nfor (const m of [${cores.map((_, index) => `m${index}`).join(', ')}]) if (Object.keys(m).length === 0) throw new Error('an empty module');\n`;
  writeFileSync(join(project, 'esm.mjs'), esm);
  writeFileSync(
    join(project, 'cjs.cjs'),
    cores.map((name) => `if (Object.keys(require('${name}')).length === 0) throw new Error('${name}');`).join('\n'),
  );
  await check('every core imports without Nest', process.execPath, ['esm.mjs'], { cwd: project });
  await check('and is required from CommonJS', process.execPath, ['--no-warnings', 'cjs.cjs'], { cwd: project });
  writeFileSync(join(project, 'types.ts'), esm);
  const options = [
    '--noEmit',
    '--strict',
    '--module',
    'nodenext',
    '--target',
    'es2022',
    '--lib',
    'es2023,esnext.disposable',
    '--types',
    'node',
    '--typeRoots',
    join(root, 'node_modules', '@types'),
    '--skipLibCheck',
    'types.ts',
  ];
  await check(
    'and its types resolve',
    process.execPath,
    [join(root, 'node_modules', 'typescript', 'bin', 'tsc'), ...options],
    { cwd: project },
  );
  if (!existsSync(join(project, 'node_modules', '@cairn', 'cid'))) faults.push(`${basename(project)} has no packages`);
}
