// Checks that the files which comments and Markdown name exist.
import { readFileSync } from 'node:fs';
import { basename, relative } from 'node:path';
import { formatOf, proseOf } from './language/prose.mjs';
import { filesBelow } from './lib/files-below.mjs';
import { root } from './lib/toolchain.mjs';

const mention = /(?<![\w@./:*{<-])(?:\.{1,2}\/)*[\w@][\w@./-]*\.(?:tsx?|[cm]ts|[cm]js|md|sol)\b(?![\w*/(])/g;

/** The repository of another project before a path, such as `ipfs/specs, src/ipips/ipip-0499.md`. */
const foreign = /\b[\w-]+\/[\w.-]+, $/;

const generated = /^libs\/[\w-]+\/api\/|CHANGELOG\.md$/;

/** Reports whether a file of the repository has the given path, or ends with it. */
export function createFinder(files) {
  const byName = new Map();
  for (const file of files) {
    const name = basename(file);
    byName.set(name, [...(byName.get(name) ?? []), `/${file}`]);
  }
  return (path) =>
    (byName.get(basename(path)) ?? []).some((file) => file.endsWith(`/${path.replace(/^(\.{1,2}\/)+/, '')}`));
}

/** @returns faults of one text, as sentences that name line and file */
export function namedFileFaults(path, text, isFile) {
  const faults = [];
  const format = formatOf(path);
  for (const piece of proseOf(path, text)) {
    if (piece.kind !== 'comment' && piece.kind !== 'tag' && format !== 'markdown') continue;
    const prose = piece.source ?? piece.text;
    for (const match of prose.matchAll(mention)) {
      if (isFile(match[0]) || foreign.test(prose.slice(0, match.index))) continue;
      const line = piece.line + (prose.slice(0, match.index).match(/\n/g)?.length ?? 0);
      faults.push(`${path}:${line}: there is no file ${match[0]}. Write its present name, or remove the mention.`);
    }
  }
  return faults;
}

/** @returns faults of every file below a path */
export function namedFileFaultsBelow(path, isFile) {
  const faults = [];
  for (const file of filesBelow(path)) {
    const name = relative(root, file);
    if (formatOf(name) === undefined || generated.test(name)) continue;
    faults.push(...namedFileFaults(name, readFileSync(file, 'utf8'), isFile));
  }
  return faults;
}
