// Checks the type declarations of libs: users with `skipLibCheck: false` need the types of every package that they import.
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { entriesOf } from '../lib/libs.mjs';

const importPattern = /(?:\bfrom\s*|\bimport\s*\(?\s*)['"]([^'"\n]+)['"]/g;

/** Returns a fault for each import of the declarations that a lib's users cannot resolve to types. */
export function declarationFaults(lib) {
  const faults = new Set();
  for (const entry of entriesOf(lib)) {
    for (const specifier of importsOf(entry.types)) {
      const fault = faultOf(specifier, lib, entry);
      if (fault !== undefined) faults.add(`${entry.specifier}: its declarations import ${specifier}${fault}`);
    }
  }
  return [...faults];
}

function faultOf(specifier, { directory, manifest }, { name }) {
  const parts = specifier.split('/');
  const packageName = parts.slice(0, specifier.startsWith('@') ? 2 : 1).join('/');
  const isPeer = packageName in (manifest.peerDependencies ?? {});
  if (name === 'index' && isPeer) return ', an optional peer. Only other entries may need it.';
  if (!isPeer && !(packageName in (manifest.dependencies ?? {}))) return ', which is no dependency.';
  const types = `@types/${packageName.replace(/^@/, '').replace('/', '__')}`;
  const isTypedApart = existsSync(join(directory, 'node_modules', types));
  return isTypedApart && !(types in manifest.dependencies) ? `. Move ${types} to the dependencies.` : undefined;
}

/** Packages that a declaration file and the files that it reaches import. */
function importsOf(entry) {
  const found = new Set();
  const files = [entry];
  for (const file of files) {
    const text = readFileSync(file, 'utf8').replace(/\/\*[\s\S]*?\*\//g, '');
    for (const [, specifier] of text.matchAll(importPattern)) {
      if (specifier.startsWith('.')) {
        const target = join(dirname(file), specifier.replace(/\.[jt]s$/, '.d.ts'));
        if (!files.includes(target)) files.push(target);
      } else if (!/^(node:|#)/.test(specifier)) found.add(specifier);
    }
  }
  return found;
}
