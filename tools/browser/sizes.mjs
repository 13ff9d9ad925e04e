#!/usr/bin/env node
// node browser/sizes.mjs [--update]: the size of each lib in a page, with all its dependencies, beside its budget in
// sizes.json.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { root } from '../lib/toolchain.mjs';
import { bundle, bytesOf } from './bundle.mjs';
import { browserLibs } from './vectors.mjs';

const sizeFile = join(import.meta.dirname, 'sizes.json');
const tableFile = join(import.meta.dirname, 'README.md');
const readmeOf = (name) => join(root, 'libs', name, 'README.md');
/** Growth beyond the recorded size that needs a review. */
const roomPercent = 10;
const kinds = ['raw', 'gzip', 'brotli'];
const update = 'npx nx run @cairn/tools:update-api';

/** Bytes that a page loads when it uses everything of a lib: at start, and on demand. */
async function measure(name) {
  const entry = join(import.meta.dirname, 'entries', `${name}.mjs`);
  const { files, warnings } = await bundle({ root: join(import.meta.dirname, 'entries'), entry });
  if (warnings.length > 0) throw new Error(`Vite warns about @cairn/${name}: ${warnings.join('\n')}`);
  const onDemand = files.filter(({ isAtStart }) => !isAtStart);
  return {
    atStart: bytesOf(files.filter(({ isAtStart }) => isAtStart)),
    ...(onDemand.length > 0 && { onDemand: bytesOf(onDemand) }),
  };
}

const kB = (bytes) => `${(bytes / 1000).toFixed(bytes < 10_000 ? 1 : 0)} kB`;
const lineStart = 'All exports, bundled by Vite, are ';

/** Formats the line of a README. */
function lineOf({ atStart, onDemand }) {
  const start = `${lineStart}${kB(atStart.raw)}: ${kB(atStart.gzip)} with gzip, ${kB(atStart.brotli)} with brotli.`;
  return onDemand === undefined ? start : `${start} Another ${kB(onDemand.brotli)} (brotli) are loaded on demand.`;
}

function tableOf(sizes) {
  const cells = (bytes) => kinds.map((kind) => (bytes === undefined ? '–' : kB(bytes[kind])));
  const rows = [
    ['package', 'at start', 'gzip', 'brotli', 'on demand', 'gzip', 'brotli'],
    ...Object.entries(sizes).map(([name, { atStart, onDemand }]) => [
      `\`@cairn/${name}\``,
      ...cells(atStart),
      ...cells(onDemand),
    ]),
  ];
  const widths = rows[0].map((_, column) => Math.max(...rows.map((row) => row[column].length)));
  const line = (row) => `| ${row.map((cell, column) => cell.padEnd(widths[column])).join(' | ')} |`;
  const rule = `| ${widths.map((width) => '-'.repeat(width)).join(' | ')} |`;
  return [line(rows[0]), rule, ...rows.slice(1).map(line)].join('\n');
}

function replaceIn(file, pattern, text) {
  const before = readFileSync(file, 'utf8');
  if (!pattern.test(before)) throw new Error(`${file} has no place for sizes: ${pattern}`);
  writeFileSync(
    file,
    before.replace(pattern, () => text),
  );
}

const linePattern = new RegExp(`^${lineStart}.*$`, 'm');
const tablePattern = /^\| package .*\n(?:\|.*\n?)*/m;

function write(sizes) {
  writeFileSync(sizeFile, `${JSON.stringify(sizes, null, 2)}\n`);
  replaceIn(tableFile, tablePattern, `${tableOf(sizes)}\n`);
  for (const [name, size] of Object.entries(sizes)) replaceIn(readmeOf(name), linePattern, lineOf(size));
}

/** Reports whether recorded sizes are within the tolerance of the measured ones. */
function isNear(known, now) {
  if (known === undefined || now === undefined) return known === now;
  return kinds.every((kind) => Math.abs(now[kind] - known[kind]) * 100 <= known[kind] * roomPercent);
}

/** Compares sizes with the recorded ones, or records new ones that are outside the tolerance. Returns faults. */
export async function checkBrowserSizes({ update: isUpdate = false } = {}) {
  const known = JSON.parse(readFileSync(sizeFile, 'utf8'));
  const sizes = {};
  const faults = [];
  for (const name of browserLibs) {
    const now = await measure(name);
    const fits = isNear(known[name]?.atStart, now.atStart) && isNear(known[name]?.onDemand, now.onDemand);
    sizes[name] = fits ? known[name] : now;
    if (!fits)
      faults.push(`@cairn/${name}: ${lineOf(now)} That differs from sizes.json by over ${roomPercent} %: ${update}`);
  }
  if (isUpdate) {
    write(sizes);
    return [];
  }
  for (const [name, size] of Object.entries(known))
    if (!readFileSync(readmeOf(name), 'utf8').includes(lineOf(size)))
      faults.push(`${readmeOf(name)} has other sizes: ${update}`);
  if (!readFileSync(tableFile, 'utf8').includes(tableOf(known))) faults.push(`${tableFile} has other sizes: ${update}`);
  return faults;
}

if (import.meta.url === pathToFileURL(process.argv[1]).href) {
  const faults = await checkBrowserSizes({ update: process.argv.includes('--update') });
  for (const fault of faults) console.error(fault);
  process.exit(faults.length > 0 ? 1 : 0);
}
