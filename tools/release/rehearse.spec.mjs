// Rehearses a release. Every lib is published to a local registry. An ES module project and a CommonJS project install
// them from it and run every example of every README, on each installed supported Node.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { promisify } from 'node:util';
import { bundle } from '../browser/bundle.mjs';
import { browserLibs } from '../browser/vectors.mjs';
import { entriesOf, libs } from '../lib/libs.mjs';
import { pnpm, root } from '../lib/toolchain.mjs';
import { cjsFrom, esmFrom, examplesOf } from './examples.mjs';
import { installedNodes } from './nodes.mjs';
import { startRegistry } from './registry.mjs';

const execute = promisify(execFile);
const work = mkdtempSync(join(tmpdir(), 'cairn-release-'));
const examples = libs.flatMap(({ name, directory }) =>
  examplesOf(join(directory, 'README.md')).map((example, index) => ({ ...example, name: `${name}-${index}` })),
);
const programs = examples.filter(({ kind }) => kind === 'program');
/** Entries without peer dependencies: all but Nest modules and contract suites. */
const cores = libs.flatMap((lib) =>
  entriesOf(lib)
    .filter(({ name }) => name === 'index' || name === 'ethereumjs')
    .map(({ specifier }) => specifier),
);
const nodes = installedNodes();
let registry;

async function run(command, args, cwd, env = {}) {
  try {
    return await execute(command, args, {
      cwd,
      env: { ...process.env, npm_config_userconfig: registry.npmrc, npm_config_registry: registry.url, ...env },
      maxBuffer: 64 * 1024 * 1024,
      timeout: 120_000,
    });
  } catch (error) {
    throw new Error(`${command} ${args.join(' ')}\n${error.stdout ?? ''}${error.stderr ?? error.message}`);
  }
}

function project(name, manifest) {
  const directory = join(work, name);
  mkdirSync(directory);
  writeFileSync(join(directory, 'package.json'), JSON.stringify({ name, private: true, ...manifest }));
  const write = (file, text) => writeFileSync(join(directory, file), text);
  return { directory, write, run: (command, args, env) => run(command, args, directory, env) };
}

before(async () => {
  registry = await startRegistry(work);
});
after(async () => {
  await registry?.close();
  rmSync(work, { recursive: true, force: true });
});

test('every lib is published with versions in place of workspace protocols', { timeout: 180_000 }, async () => {
  const args = ['publish', '-r', '--filter', './libs/*', '--no-git-checks', '--registry', registry.url];
  const env = { npm_config_userconfig: registry.npmrc, npm_config_registry: registry.url };
  const lines = [];
  const code = await pnpm(args, { env, onOutput: (chunk) => lines.push(chunk) });
  assert.equal(code, 0, Buffer.concat(lines).toString());
  for (const { manifest } of libs) {
    const { stdout } = await run('npm', ['view', manifest.name, '--json'], work);
    const published = JSON.parse(stdout);
    assert.equal(published.version, manifest.version);
    const ranges = Object.values({ ...published.dependencies, ...published.peerDependencies });
    assert.deepEqual(
      ranges.filter((range) => /workspace|catalog|file:/.test(range)),
      [],
    );
  }
});

test('nx release finds the next version of every lib', { timeout: 120_000 }, async () => {
  const nx = join(root, 'node_modules', 'nx', 'dist', 'bin', 'nx.js');
  const env = { NX_DAEMON: 'false', NX_NO_CLOUD: 'true' };
  const args = [nx, 'release', 'version', 'patch', '--first-release', '--dry-run'];
  const { stdout } = await run(process.execPath, args, root, env);
  for (const { name, manifest } of libs)
    assert.match(stdout, new RegExp(`libs/${name}/package.json: ${manifest.version} → `));
});

const install = ['install', '--no-audit', '--no-fund', '--prefer-offline'];
const names = libs.map(({ manifest }) => `${manifest.name}@${manifest.version}`);
/** Optional peers of the other entries, in the versions that the libs declare. */
const peers = () => {
  const wanted = libs.flatMap(({ directory, manifest }) =>
    Object.keys(manifest.peerDependencies ?? {}).map((peer) => [peer, directory]),
  );
  const versionOf = ([peer, directory]) =>
    `${peer}@^${JSON.parse(readFileSync(join(directory, 'node_modules', peer, 'package.json'), 'utf8')).version}`;
  return [...new Set(wanted.map(versionOf)), 'jest@^30', '@types/node@20', '@types/express@5'];
};

let esm;

describe('an empty ES module project', { timeout: 600_000 }, () => {
  before(async () => {
    esm = project('esm', { type: 'module' });
    await esm.run('npm', [...install, '--omit=peer', ...names]);
  });

  test('imports the core of every lib where no peer is installed', async () => {
    const lines = cores.map(
      (name) => `if (Object.keys(await import('${name}')).length === 0) throw new Error('${name}');`,
    );
    esm.write('cores.mjs', lines.join('\n'));
    await esm.run(process.execPath, ['cores.mjs']);
    assert.ok(!existsSync(join(esm.directory, 'node_modules', '@nestjs', 'core')));
  });

  // browser/browser.spec.mjs runs them in a browser.
  test('bundles for browsers without a warning of Vite', async () => {
    for (const name of browserLibs) {
      esm.write(`${name}-page.mjs`, `export * from '@cairn/${name}';`);
      const { warnings } = await bundle({ root: esm.directory, entry: join(esm.directory, `${name}-page.mjs`) });
      assert.deepEqual(warnings, [], name);
    }
  });

  test('type-checks every example with the peers installed', async () => {
    await esm.run('npm', [...install, ...peers()]);
    for (const { name, code } of examples) esm.write(`${name}.ts`, code);
    const compilerOptions = {
      noEmit: true,
      strict: true,
      module: 'nodenext',
      target: 'es2022',
      lib: ['es2023', 'esnext.disposable'],
      types: ['node'],
      skipLibCheck: true,
      experimentalDecorators: true,
      emitDecoratorMetadata: true,
    };
    esm.write('tsconfig.json', JSON.stringify({ compilerOptions, include: ['*.ts'] }));
    await esm.run(process.execPath, [join(root, 'node_modules', 'typescript', 'bin', 'tsc')]);
  });

  for (const { version, path } of nodes) {
    test(`runs ${programs.length} examples on Node ${version}`, async () => {
      for (const { name, code } of programs) {
        esm.write(`${name}.mjs`, esmFrom(code));
        await esm.run(path, [`${name}.mjs`], { STORAGE_API_PORT: '0' });
      }
    });
  }

  test('runs the contract suites under Jest', async () => {
    for (const { name, code } of examples.filter(({ kind }) => kind === 'jest'))
      esm.write(`${name}.test.mjs`, esmFrom(code));
    esm.write('jest.config.mjs', "export default { testMatch: ['**/*.test.mjs'], transform: {} };");
    const jest = join(esm.directory, 'node_modules', 'jest', 'bin', 'jest.js');
    const { stderr } = await esm.run(process.execPath, ['--experimental-vm-modules', '--no-warnings', jest]);
    assert.match(stderr, /^Tests: +.*[1-9]\d* passed/m);
  });
});

describe('a project with @cairn/evm-executor and no optional peer', { timeout: 300_000 }, () => {
  let calls;
  before(async () => {
    const { manifest } = libs.find(({ name }) => name === 'evm-executor');
    calls = project('calls', { type: 'module' });
    await calls.run('npm', [...install, `${manifest.name}@${manifest.version}`]);
  });

  test('has no package of @ethereumjs', () => {
    const installed = readdirSync(join(calls.directory, 'node_modules', '@cairn'));
    assert.ok(installed.includes('evm') && !installed.includes('evm-ethereumjs'), installed.join(', '));
    assert.ok(!existsSync(join(calls.directory, 'node_modules', '@ethereumjs')));
  });

  test('runs calls, and refuses the reference engine with ENGINE_UNAVAILABLE in process and in the pool', async () => {
    cpSync(join(import.meta.dirname, 'calls.fixture.mjs'), join(calls.directory, 'calls.mjs'));
    const { stdout } = await calls.run(process.execPath, ['calls.mjs']);
    assert.deepEqual(stdout.trim().split('\n'), ['success', 'ENGINE_UNAVAILABLE', 'ENGINE_UNAVAILABLE', 'success']);
  });

  test('type-checks with its declarations', async () => {
    calls.write('calls.ts', "export * from '@cairn/evm-executor';\nexport * from '@cairn/evm-executor/pool';\n");
    await calls.run('npm', [...install, '@types/node@20']);
    const tsc = join(root, 'node_modules', 'typescript', 'bin', 'tsc');
    const target = ['--target', 'es2022', '--lib', 'es2023,esnext.disposable', '--types', 'node'];
    await calls.run(process.execPath, [tsc, '--noEmit', '--strict', '--module', 'nodenext', ...target, 'calls.ts']);
  });

  test('bundles for browsers without a warning of Vite', async () => {
    calls.write('page.mjs', "export * from '@cairn/evm-executor';");
    const { warnings } = await bundle({ root: calls.directory, entry: join(calls.directory, 'page.mjs') });
    assert.deepEqual(warnings, []);
  });
});

describe('an empty CommonJS project', { timeout: 600_000 }, () => {
  let cjs;
  before(async () => {
    cjs = project('cjs', {});
    // Reuses the packages that the other project installed.
    symlinkSync(join(esm.directory, 'node_modules'), join(cjs.directory, 'node_modules'));
  });

  test('requires the core of every lib', async () => {
    const lines = cores.map((name) => `if (Object.keys(require('${name}')).length === 0) throw new Error('${name}');`);
    cjs.write('cores.cjs', lines.join('\n'));
    await cjs.run(process.execPath, ['--no-warnings', 'cores.cjs']);
  });

  for (const { version, path } of nodes) {
    test(`runs ${programs.length} examples on Node ${version}`, async () => {
      for (const { name, code } of programs) {
        cjs.write(`${name}.cjs`, cjsFrom(code));
        await cjs.run(path, ['--no-warnings', `${name}.cjs`], { STORAGE_API_PORT: '0' });
      }
    });
  }
});
