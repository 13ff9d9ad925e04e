#!/usr/bin/env node
import { parseArgs } from 'node:util';
import { countTests } from './lib/count-tests.mjs';
// `npm test`: install, build, lint, typecheck, unit tests, package checks and e2e tests, from a bare clone. Ends with
// `N passed, N failed`, summed from the output of the test runners. `--affected main` leaves out packages that do not differ from
// main and do not depend on one that differs.
import { install, nx, requireNode } from './lib/toolchain.mjs';

requireNode();
await install();

const { values } = parseArgs({ options: { affected: { type: 'string' } } });
const all = ['run-many'];
const selection = values.affected === undefined ? all : ['affected', `--base=${values.affected}`];

const output = [];
const run = async (targets, parallel, more = [], env = {}, selected = selection) => {
  const code = await nx(
    [...selected, '-t', ...targets, `--parallel=${parallel}`, '--output-style=static', '--nx-bail=false', ...more],
    {
      env: { CI: 'true', FORCE_COLOR: '0', ...env },
      onOutput: (chunk) => {
        output.push(chunk);
        process.stdout.write(chunk);
      },
    },
  );
  return code;
};

// Tests of one service start the others, so everything is built, from the cache where nothing has changed.
const codes = [await run(['build'], 2, [], {}, all)];
codes.push(await run(['lint', 'typecheck', 'test', 'check'], 2));
// No build runs beside services, because it would remove files for a moment that they load.
codes.push(await run(['e2e'], 2, ['--exclude-task-dependencies'], { CI_IS_BUILT: '1' }));

const { passed, failed, skipped } = countTests(Buffer.concat(output).toString('utf8'));
const broken = codes.some((code) => code !== 0);
if (broken) console.error('\nA target failed; its output is above, and `npx nx run <project>:<target>` runs it alone.');
console.log(`\n${passed} passed, ${broken ? Math.max(1, failed) : failed} failed, ${skipped} skipped`);
const isEmpty = passed === 0 && values.affected === undefined;
process.exit(broken || isEmpty ? 1 : 0);
