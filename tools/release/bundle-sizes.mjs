#!/usr/bin/env node
// node bundle-sizes.mjs [--update]: compares the size of every lib's core in a bundle, minified and gzipped, without
// its dependencies, with its budget in bundle-sizes.json.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { gzipSync } from 'node:zlib';
import { build } from 'esbuild';
import { entriesOf, libs } from '../lib/libs.mjs';

const budgetFile = join(import.meta.dirname, 'bundle-sizes.json');
/** Growth of a lib that needs a review. */
const roomPercent = 10;

async function bytesOf({ module }) {
  const { outputFiles } = await build({
    entryPoints: [module],
    bundle: true,
    minify: true,
    write: false,
    format: 'esm',
    platform: 'node',
    packages: 'external',
    logLevel: 'silent',
  });
  return gzipSync(outputFiles[0].contents, { level: 9 }).length;
}

/** Compares with the budgets, or writes new ones. Returns faults. */
export async function checkBundleSizes({ update = false } = {}) {
  const sizes = {};
  for (const lib of libs) {
    const core = entriesOf(lib).find(({ name }) => name === 'index');
    if (core !== undefined) sizes[lib.manifest.name] = await bytesOf(core);
  }
  if (update) {
    const budgets = Object.fromEntries(
      Object.entries(sizes).map(([name, bytes]) => [name, Math.ceil((bytes * (100 + roomPercent)) / 100 / 100) * 100]),
    );
    writeFileSync(budgetFile, `${JSON.stringify(budgets, null, 2)}\n`);
    return [];
  }
  const budgets = JSON.parse(readFileSync(budgetFile, 'utf8'));
  const faults = Object.keys(budgets)
    .filter((name) => !(name in sizes))
    .map((name) => `${budgetFile} has a budget for ${name}, which does not exist`);
  for (const [name, bytes] of Object.entries(sizes)) {
    if (bytes <= (budgets[name] ?? 0)) continue;
    faults.push(
      `${name} is ${bytes} bytes in a bundle, its budget is ${budgets[name] ?? 'not set'}: npx nx run @cairn/tools:update-api`,
    );
  }
  return faults;
}

if (import.meta.url === pathToFileURL(process.argv[1]).href) {
  const faults = await checkBundleSizes({ update: process.argv.includes('--update') });
  for (const fault of faults) console.error(fault);
  process.exit(faults.length > 0 ? 1 : 0);
}
