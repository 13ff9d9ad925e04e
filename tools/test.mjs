#!/usr/bin/env node
import { availableParallelism } from 'node:os';
import { parseArgs } from 'node:util';
import { countTests } from './lib/count-tests.mjs';
import { failedTests } from './lib/failed-tests.mjs';
// `npm test`: install, build, lint, typecheck, unit tests, package checks and e2e tests, from a bare clone. Ends with
// `N passed, N failed`, summed from the output of the test runners. `--affected main` leaves out packages that do not differ from
// main and do not depend on one that differs. In CI a failed task runs once more with nothing beside it, and a task that passes
// then is named in the closing lines.
import { failedTasks, outputByTask } from './lib/task-output.mjs';
import { install, nx, requireNode } from './lib/toolchain.mjs';

/** A second attempt begins only this soon after the start, so that its end is within the time limit of CI. */
const secondAttemptWithinMs = 65 * 60_000;
const startedAt = Date.now();
/** Failed tests named in the closing lines, for each task. */
const namesMax = 10;

requireNode();
await install();

const { values } = parseArgs({ options: { affected: { type: 'string' } } });
const all = ['run-many'];
const selection = values.affected === undefined ? all : ['affected', `--base=${values.affected}`];

const output = [];
const run = async (targets, parallel, { more = [], env = {}, selected = selection } = {}) => {
  const chunks = [];
  const code = await nx(
    [...selected, '-t', ...targets, `--parallel=${parallel}`, '--output-style=static', '--nx-bail=false', ...more],
    {
      env: { CI: 'true', FORCE_COLOR: '0', ...env },
      onOutput: (chunk) => {
        chunks.push(chunk);
        process.stdout.write(chunk);
      },
    },
  );
  const text = Buffer.concat(chunks).toString('utf8');
  output.push(text);
  return { code, failed: failedTasks(text) };
};

/** Suites of e2e tests at a time: about a third of their time is waiting, for timers, blocks and processes that start. */
const suitesAtATime = Math.min(6, Math.ceil(availableParallelism() * 1.5));
const e2e = { more: ['--exclude-task-dependencies'], env: { CI_IS_BUILT: '1' } };
// Tests of one service start the others, so everything is built, from the cache where nothing has changed.
const build = await run(['build'], 2, { selected: all });
const tests = await run(['lint', 'typecheck', 'test', 'check'], 2);
// No build runs beside services, because it would remove files for a moment that they load.
const services = await run(['e2e'], suitesAtATime, e2e);

const passedLater = [];
const isRepeated = process.env.CI !== undefined && Date.now() - startedAt < secondAttemptWithinMs;
const failed = [...tests.failed, ...services.failed];
/** Repeats one task; true where it passes. */
async function passesAlone(task) {
  const [project, target] = task.split(':');
  const options = { ...(target === 'e2e' ? e2e : {}), selected: ['run-many', `--projects=${project}`] };
  const { code } = await run([target], 1, options);
  if (code === 0) passedLater.push(task);
  return code === 0;
}
let isBroken = build.code !== 0 || failed.length > 0 || tests.code !== 0 || services.code !== 0;
if (isRepeated && build.code === 0 && failed.length > 0) {
  const outcomes = [];
  for (const task of failed) outcomes.push(await passesAlone(task));
  isBroken = outcomes.includes(false);
}

const lastOutputs = outputByTask(output.join('\n'));
const counts = countTests([...lastOutputs.values()].join('\n'));
const { passed, skipped } = counts;
const repeatedTests = output.join('').split('LOGGING RETRY ERRORS').length - 1;
if (repeatedTests > 0)
  console.log(`\n${repeatedTests} tests ran a second time; search above for LOGGING RETRY ERRORS.`);
const broken = [...build.failed, ...failed].filter((task) => !passedLater.includes(task));
for (const task of broken)
  for (const name of failedTests(lastOutputs.get(task) ?? '').slice(0, namesMax)) console.log(`${task}: ${name}`);
if (isBroken)
  console.log(
    `\nFailed: ${broken.join(', ') || 'nx itself'}. The output is above; \`npx nx run <task>\` runs one task alone.`,
  );
if (passedLater.length > 0) console.log(`\nPassed at the second attempt only: ${passedLater.join(', ')}`);
console.log(`\n${passed} passed, ${isBroken ? Math.max(1, counts.failed) : 0} failed, ${skipped} skipped`);
const isEmpty = passed === 0 && values.affected === undefined;
process.exit(isBroken || isEmpty ? 1 : 0);
