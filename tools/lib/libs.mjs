// Libs of this workspace, read from their manifests.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from './toolchain.mjs';

/** Every lib, by name: its directory and its manifest. */
export const libs = readdirSync(join(root, 'libs'))
  .map((name) => ({ name, directory: join(root, 'libs', name) }))
  .filter(({ directory }) => existsSync(join(directory, 'package.json')))
  .map((lib) => ({ ...lib, manifest: JSON.parse(readFileSync(join(lib.directory, 'package.json'), 'utf8')) }));

/** Entries of a lib: `specifier`, a short `name` for files, and the path of the built module without its extension. */
export function entriesOf({ directory, manifest }) {
  return Object.entries(manifest.exports)
    .filter(([, target]) => typeof target === 'object')
    .map(([entry, target]) => ({
      name: entry === '.' ? 'index' : entry.slice(2),
      specifier: manifest.name + entry.slice(1),
      module: join(directory, target.default),
      types: join(directory, target.types),
    }));
}
