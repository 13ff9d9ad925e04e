#!/usr/bin/env node
// Checks packages as their users get them: manifests, packed tarballs, types, the public API against its report, sizes,
// dependencies and licenses. release/rehearse.spec.mjs runs them.
import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { checkPackage, createPackageFromTarballData } from '@arethetypeswrong/core';
import { checkBrowserSizes } from './browser/sizes.mjs';
import { libs } from './lib/libs.mjs';
import { pnpm, root } from './lib/toolchain.mjs';
import { checkApiReports } from './release/api-reports.mjs';
import { checkBundleSizes } from './release/bundle-sizes.mjs';
import { declarationFaults } from './release/declarations.mjs';
import { checkLicenses } from './release/licenses.mjs';

const run = promisify(execFile);
const work = mkdtempSync(join(tmpdir(), 'cairn-packages-'));
const bin = (name) => join(root, 'tools', 'node_modules', '.bin', name);
let faults = 0;

function tell(what, problems) {
  console.log(problems.length === 0 ? `ok    ${what}` : `FAIL  ${what}\n${problems.join('\n')}`);
  faults += problems.length;
}

async function check(what, command, args, options = {}) {
  try {
    await run(command, args, { maxBuffer: 64 * 1024 * 1024, ...options });
    tell(what, []);
  } catch (error) {
    tell(what, [`${error.stdout ?? ''}${error.stderr ?? error.message}`]);
  }
}

// CommonJS consumers use require(esm), which this tool counts as a fault; node10 does not read `exports`.
const unsupported = new Set(['node10', 'node16-cjs']);

/** Checks that types and code resolve together under every supported module resolution. */
async function checkTypes(pack) {
  const { types, problems } = await checkPackage(createPackageFromTarballData(readFileSync(pack)));
  if (!types) return ['the package has no types'];
  return problems
    .filter(({ resolutionKind }) => !unsupported.has(resolutionKind))
    .map((problem) => JSON.stringify(problem));
}

function checkManifest({ directory, manifest }) {
  const fields = ['license', 'repository', 'description', 'engines', 'files', 'keywords', 'exports', 'sideEffects'];
  const problems = fields.filter((field) => !(field in manifest)).map((field) => `package.json has no ${field}`);
  const [first, second] = readFileSync(join(directory, 'README.md'), 'utf8').match(/^```[a-z]+$/gm) ?? [];
  if (first !== '```ts' && !(first === '```sh' && second === '```ts'))
    problems.push('README.md does not start with an example, or with its install and an example');
  for (const peer of Object.keys(manifest.peerDependencies ?? {}))
    if (!manifest.peerDependenciesMeta?.[peer]?.optional) problems.push(`the peer ${peer} is not optional`);
  return problems;
}

try {
  const args = ['-r', '--filter', './libs/*', 'pack', '--pack-destination', work];
  const lines = [];
  const code = await pnpm(args, { onOutput: (chunk) => lines.push(chunk) });
  tell('every lib packs', code === 0 ? [] : [Buffer.concat(lines).toString()]);
  for (const lib of libs) {
    const { name, version } = lib.manifest;
    const pack = join(work, `${name.replace('@', '').replace('/', '-')}-${version}.tgz`);
    tell(`${name}: manifest and README`, checkManifest(lib));
    await check(`${name}: publint`, bin('publint'), ['run', pack, '--strict']);
    tell(`${name}: types`, await checkTypes(pack));
    tell(`${name}: types of its dependencies`, declarationFaults(lib));
  }
} finally {
  rmSync(work, { recursive: true });
}
await check('dependencies and exports are used and declared', bin('knip'), ['--no-progress', '--no-config-hints'], {
  cwd: root,
});
tell('licenses of what is shipped', await checkLicenses());
tell('sizes in a bundle', await checkBundleSizes());
tell('sizes in a browser', await checkBrowserSizes());
tell('public APIs are those of the reports', checkApiReports());
process.exit(faults > 0 ? 1 : 0);
