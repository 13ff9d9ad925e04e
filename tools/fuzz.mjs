#!/usr/bin/env node
// node fuzz.mjs [--minutes 10] [--only evm-executor]: runs every spec with properties repeatedly, each time with new
// seeds, until the time is over or one fails. A failure is printed with the seed and path that reproduce it.
import { readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { parseArgs } from 'node:util';
import { root, run } from './lib/toolchain.mjs';

const { values } = parseArgs({ options: { minutes: { type: 'string', default: '10' }, only: { type: 'string' } } });
const minutes = Number(values.minutes);
if (!(minutes > 0)) {
  console.error(`--minutes: expected a number such as 10, got ${JSON.stringify(values.minutes)}.`);
  process.exit(2);
}
/** Rounds of the differential test of the EVM engines per run; `npm test` has 250. */
const engineRuns = 2_000;

const targets = ['libs', 'apps']
  .flatMap((kind) => readdirSync(join(root, kind)).map((name) => ({ name, directory: join(root, kind, name) })))
  .filter(({ name }) => values.only === undefined || name === values.only)
  .map((target) => ({ ...target, specs: specsOf(join(target.directory, 'src')) }))
  .filter(({ specs }) => specs.length > 0);
if (targets.length === 0) {
  console.error(`--only: no package ${JSON.stringify(values.only)} has properties.`);
  process.exit(2);
}

function specsOf(directory) {
  const names = readdirSync(directory, { recursive: true, withFileTypes: true });
  return names
    .filter((file) => file.isFile() && file.name.endsWith('.spec.ts'))
    .map(({ parentPath, name }) => join(parentPath, name))
    .filter((path) => /fc\.assert|describe[A-Z]\w+Store\(|describeCollectable\(/.test(readFileSync(path, 'utf8')));
}

const end = Date.now() + minutes * 60_000;
const jest = join(root, 'node_modules', 'jest', 'bin', 'jest.js');
for (let round = 1; Date.now() < end; round++) {
  for (const { name, directory, specs } of targets) {
    if (Date.now() >= end) break;
    const seed = Math.floor(Math.random() * 2 ** 31);
    const paths = specs.map((path) => relative(root, path));
    const lines = [];
    const code = await run(
      process.execPath,
      [
        '--experimental-vm-modules',
        '--no-warnings',
        jest,
        '--rootDir',
        directory,
        '--config',
        join(directory, 'jest.config.mjs'),
        ...paths,
      ],
      { env: { FUZZ_SEED: String(seed), FUZZ_RUNS: String(engineRuns) }, onOutput: (chunk) => lines.push(chunk) },
    );
    console.log(`round ${round}: ${name}, ${specs.length} specs: ${code === 0 ? 'ok' : 'FAILED'} (FUZZ_SEED=${seed})`);
    if (code === 0) continue;
    process.stdout.write(Buffer.concat(lines));
    process.exit(1);
  }
}
