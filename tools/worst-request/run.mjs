#!/usr/bin/env node
// node run.mjs [--seed 1] [--minutes 5] [--only storage|gateway] [--verbose] [--replay '{"name":…,"genes":…}' [--times
// 5]]: searches for the requests that cost the built services most, as seen by another account, and prints the ten most
// expensive. Exits with 1 when a service ended or failed by itself.
import { parseArgs } from 'node:util';
import { createRandom } from '../differential/random.mjs';
import { hurtful } from './hurtful.mjs';
import { costOf } from './measure.mjs';
import { canMeasure } from './process-stat.mjs';
import { replayLine, reportOf } from './report.mjs';
import { confirm, search } from './search.mjs';
import { serviceNames, startSession } from './session.mjs';

const { values } = parseArgs({
  options: {
    seed: { type: 'string', default: String(Math.floor(Math.random() * 2 ** 31)) },
    minutes: { type: 'string', default: '5' },
    only: { type: 'string' },
    replay: { type: 'string' },
    times: { type: 'string', default: '3' },
    verbose: { type: 'boolean', default: false },
  },
});
const [seed, minutes] = [Number(values.seed), Number(values.minutes)];
const names = values.only === undefined ? serviceNames : [values.only];
const problem = !canMeasure
  ? 'This tool reads /proc and runs on Linux only.'
  : !names.every((name) => serviceNames.includes(name))
    ? `--only: there is no service ${JSON.stringify(values.only)}. Choose from ${serviceNames.join(', ')}.`
    : !Number.isInteger(seed) || !(minutes > 0)
      ? `--seed takes an integer and --minutes a positive number; got ${values.seed} and ${values.minutes}.`
      : undefined;
if (problem !== undefined) {
  console.error(problem);
  process.exit(2);
}

let failed = 0;
for (const name of names) failed += await (values.replay === undefined ? searchService(name) : replay(name));
process.exit(failed > 0 ? 1 : 0);

async function searchService(name) {
  const session = await startSession(name);
  let failures = 0;
  const onMeasured = (entry) => {
    if (values.verbose) console.log(reportOf([entry]).split('\n')[1], replayLine(entry));
    if (entry.errors.length === 0 && entry.probes.failed === 0 && !entry.isCrashed) return;
    failures++;
    console.log(
      `FAILED ${JSON.stringify({ errors: entry.errors.slice(0, 3), probesFailed: entry.probes.failed, isCrashed: entry.isCrashed }).slice(0, 2000)}`,
    );
    console.log(`    ${replayLine(entry)}`);
    if (entry.isCrashed) throw new Error(`${name} ended`);
  };
  try {
    const measured = await search({
      ...session,
      random: createRandom(seed),
      end: Date.now() + (minutes * 60_000) / names.length,
      fixed: hurtful[name],
      onMeasured,
    });
    console.log(`\n${name}: ${measured.length} requests, --seed ${seed}; the ten most expensive:`);
    console.log(reportOf(await confirm(measured, session.measure)));
  } finally {
    await session.stop();
  }
  return failures;
}

async function replay(name) {
  const session = await startSession(name);
  try {
    for (let time = 0; time < Number(values.times); time++) {
      const entry = { ...JSON.parse(values.replay), ...(await session.measure(JSON.parse(values.replay))) };
      console.log(
        reportOf([{ ...entry, cost: costOf(entry) }])
          .split('\n')
          .slice(time === 0 ? 0 : 1, 2)
          .join('\n'),
      );
      if (time === 0) console.log(`    ${entry.excerpt.slice(0, 200)}`);
      if (entry.errors.length > 0) console.log(`    ${JSON.stringify(entry.errors).slice(0, 1000)}`);
    }
  } finally {
    await session.stop();
  }
  return 0;
}
