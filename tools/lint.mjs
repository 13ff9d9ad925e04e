#!/usr/bin/env node
// The checks of `lint` beyond Biome's: node tools/lint.mjs DIRECTORY for a package, without a directory for the repository.
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join, relative, resolve } from 'node:path';
import { boundaryFaults } from './check-boundaries.mjs';
import { languageFaultsBelow } from './check-language.mjs';
import { createFinder, namedFileFaultsBelow } from './check-named-files.mjs';
import { filesBelow } from './lib/files-below.mjs';
import { root } from './lib/toolchain.mjs';

const isFile = createFinder([...filesBelow(root)].map((file) => relative(root, file)));

function packageFaults(directory) {
  const isMapped = /^(?:apps|libs)[/\\]/.test(relative(root, directory));
  return [
    ...(isMapped ? boundaryFaults(directory) : []),
    ...languageFaultsBelow(directory),
    ...namedFileFaultsBelow(directory, isFile),
  ];
}

/** Files of no package, files named anywhere, and import cycles. Biome reads the whole repository for the cycles, once here. */
function repositoryFaults() {
  const faults = languageFaultsBelow(root, {
    isSkipped: (path) => existsSync(join(path, 'package.json')) && path !== root,
  });
  faults.push(...languageFaultsBelow(join(root, 'tools')), ...namedFileFaultsBelow(root, isFile));
  const biome = join(root, 'node_modules', '@biomejs', 'biome', 'bin', 'biome');
  const config = join(root, 'tools', 'import-cycles.biome.json');
  const args = [
    biome,
    'lint',
    '--only=suspicious/noImportCycles',
    `--config-path=${config}`,
    '--diagnostic-level=error',
    '--max-diagnostics=20',
    '.',
  ];
  const { status, stdout, stderr } = spawnSync(process.execPath, args, { cwd: root, encoding: 'utf8' });
  if (status !== 0) faults.push(`${stdout}${stderr}`);
  return faults;
}

const [directory] = process.argv.slice(2);
const faults = directory === undefined ? repositoryFaults() : packageFaults(resolve(directory));
for (const fault of faults) console.error(fault);
if (faults.length > 0) {
  console.error(`${faults.length} fault${faults.length === 1 ? '' : 's'}.`);
  process.exit(1);
}
