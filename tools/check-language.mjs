// Checks prose and names against language/rules.mjs.
import { readFileSync } from 'node:fs';
import { relative } from 'node:path';
import { formatOf, proseOf } from './language/prose.mjs';
import { names, openings, words } from './language/rules.mjs';
import { filesBelow } from './lib/files-below.mjs';
import { root } from './lib/toolchain.mjs';

/** Directories that wait for their rewrite. Remove a row to check a directory. */
const pending = [];

/** Files that define the rules, quote Kubo or geth, or are written by a program. */
const exempt =
  /^(?:tools\/(?:language|check-language|lint\.spec|check-commits\.spec)|libs\/[\w-]+\/api\/|.*CHANGELOG\.md$)/;

/** @returns faults of one text, as sentences that name line, pattern and remedy */
export function languageFaults(path, text) {
  const faults = [];
  for (const piece of proseOf(path, text)) {
    // A single word in quotes is a value.
    if (piece.kind === 'message' && !/\s/.test(piece.text)) continue;
    const rules = piece.kind === 'name' ? names : [...openings, ...words];
    for (const { pattern, appliesTo, write } of rules) {
      if (appliesTo && !appliesTo.includes(piece.kind)) continue;
      for (const match of piece.kind === 'name' ? firstMatch(pattern, piece.text) : matches(pattern, piece.text)) {
        const line = piece.line + (piece.text.slice(0, match.index).match(/\n/g)?.length ?? 0);
        const found = match[0].replace(/\s+/g, ' ');
        faults.push(`${path}:${line}: "${found}" in a ${piece.kind}. Write ${write}.`);
      }
    }
  }
  return faults;
}

function firstMatch(pattern, text) {
  const match = pattern.exec(text);
  return match ? [match] : [];
}

function matches(pattern, text) {
  return pattern.global ? text.matchAll(pattern) : firstMatch(pattern, text);
}

/** @returns faults of every file below a path */
export function languageFaultsBelow(path, options) {
  const faults = [];
  for (const file of filesBelow(path, options)) {
    const name = relative(root, file);
    if (formatOf(name) === undefined || exempt.test(name)) continue;
    if (pending.some((directory) => name === directory || name.startsWith(`${directory}/`))) continue;
    faults.push(...languageFaults(name, readFileSync(file, 'utf8')));
  }
  return faults;
}
