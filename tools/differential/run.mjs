#!/usr/bin/env node
// node run.mjs [--seed 1] [--minutes 5] [--only add,files] [--verbose]: compares the built services with real servers
// on random requests. Prints the classes of difference of each area. Exits with 1 when a class has no reason in its
// area's `known`.
import { parseArgs } from 'node:util';
import { howToEnable } from '../peers/binaries.mjs';
import { areaNames } from './areas.mjs';
import { createRandom } from './random.mjs';

const { values } = parseArgs({
  options: {
    seed: { type: 'string', default: String(Math.floor(Math.random() * 2 ** 31)) },
    minutes: { type: 'string', default: '5' },
    only: { type: 'string' },
    verbose: { type: 'boolean', default: false },
  },
});
const [seed, minutes] = [Number(values.seed), Number(values.minutes)];
const names = values.only?.split(',') ?? areaNames;
const unknown = names.find((name) => !areaNames.includes(name));
if (!Number.isInteger(seed) || !(minutes > 0) || unknown !== undefined) {
  console.error(
    unknown === undefined
      ? `--seed takes an integer and --minutes a positive number; got ${values.seed} and ${values.minutes}.`
      : `--only: there is no area ${JSON.stringify(unknown)}. Choose from ${areaNames.join(', ')}.`,
  );
  process.exit(2);
}

let failed = 0;
let compared = 0;
for (const name of names) {
  const { default: area } = await import(`./areas/${name}.mjs`);
  const outcome = await runArea(area, Date.now() + (minutes * 60_000) / names.length);
  failed += outcome.failed;
  compared += outcome.compared;
}
console.log(`\n${compared} passed, ${failed} failed`);
process.exit(failed > 0 ? 1 : 0);

/** Runs rounds of one area within its time. */
async function runArea(area, end) {
  const context = await area.start();
  if (context === undefined) {
    console.log(`${area.name}: ${area.missing ?? howToEnable(area.peer)}`);
    return { compared: 0, failed: 0 };
  }
  const classes = new Map();
  let rounds = 0;
  let compared = 0;
  try {
    for (; Date.now() < end; rounds++) {
      // Each round has its own seed, so that `--seed` of a finding repeats it in the first round.
      const random = createRandom(seed + rounds);
      for await (const difference of area.round(context, random)) {
        if (difference === undefined) {
          compared++;
          continue;
        }
        const seen = classes.get(difference.class) ?? { count: 0, first: difference, seed: seed + rounds };
        seen.count++;
        classes.set(difference.class, seen);
        if (values.verbose) console.log(JSON.stringify({ seed: seed + rounds, ...difference }));
      }
    }
  } finally {
    await context.stop();
  }
  const open = [...classes].filter(([name]) => area.known[name] === undefined);
  console.log(
    `${area.name}: ${rounds} rounds, ${compared} equal answers, ${classes.size} classes of difference, ${open.length} open`,
  );
  for (const [name, { count }] of classes)
    if (area.known[name] !== undefined) console.log(`  known, ${count} times: ${name}: ${area.known[name]}`);
  for (const [name, seen] of open) {
    console.log(`  OPEN, ${seen.count} times, --seed ${seen.seed} --only ${area.name}: ${name}`);
    for (const [field, value] of Object.entries(seen.first))
      if (field !== 'class') console.log(`    ${field}: ${JSON.stringify(value)?.slice(0, 2000)}`);
  }
  return { compared, failed: open.length };
}
