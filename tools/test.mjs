#!/usr/bin/env node
import { countTests } from './lib/count-tests.mjs';
// `npm test`: install, build, lint, typecheck, unit tests, package checks and e2e tests, from a bare clone. Ends with
// `N passed, N failed`, summed from the output of the test runners.
import { install, nx, requireNode } from './lib/toolchain.mjs';

requireNode();
await install();

const output = [];
const run = async (targets, parallel, more = [], env = {}) => {
  const code = await nx(
    ['run-many', '-t', ...targets, `--parallel=${parallel}`, '--output-style=static', '--nx-bail=false', ...more],
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

const codes = [await run(['build', 'lint', 'typecheck', 'test', 'check'], 2)];
// No build runs beside services, because it would remove files for a moment that they load.
codes.push(await run(['e2e'], 2, ['--exclude-task-dependencies'], { CI_IS_BUILT: '1' }));

const { passed, failed, skipped } = countTests(Buffer.concat(output).toString('utf8'));
const broken = codes.some((code) => code !== 0);
if (broken) console.error('\nA target failed; its output is above, and `npx nx run <project>:<target>` runs it alone.');
console.log(`\n${passed} passed, ${broken ? Math.max(1, failed) : failed} failed, ${skipped} skipped`);
process.exit(broken || passed === 0 ? 1 : 0);
