import { access, readFile, realpath } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** One installed package. */
export interface Dependency {
  readonly name: string;
  readonly version: string;
}

/** More packages than a service has: a walk over a broken installation ends here. */
const dependenciesMax = 2000;

/** Lists the packages of this service: itself first, then the others by name. */
export async function listDependencies(): Promise<readonly Dependency[]> {
  const root = await packageDirectory(dirname(fileURLToPath(import.meta.url)));
  const found = new Map<string, Dependency>();
  const directories = [root];
  const seen = new Set(directories);
  for (const directory of directories) {
    const { name, version, dependencies } = await readManifest(directory);
    found.set(`${name}@${version}`, { name, version });
    for (const dependency of dependencies) {
      const next = await locate(dependency, directory);
      if (next === undefined || seen.has(next) || seen.size === dependenciesMax) continue;
      seen.add(next);
      directories.push(next);
    }
  }
  const [own, ...others] = found.values();
  const compare = (one: Dependency, other: Dependency) => (one.name < other.name ? -1 : one.name > other.name ? 1 : 0);
  return own === undefined ? [] : [own, ...others.sort(compare)];
}

/** Returns the directory above a file of this package that has its package.json. */
async function packageDirectory(from: string): Promise<string> {
  return (await exists(join(from, 'package.json'))) ? from : await packageDirectory(dirname(from));
}

/** Finds a package as Node does: in `node_modules` of the directory and of those above it. */
async function locate(name: string, from: string): Promise<string | undefined> {
  for (let directory = from; ; directory = dirname(directory)) {
    const candidate = join(directory, 'node_modules', name);
    if (await exists(join(candidate, 'package.json'))) return await realpath(candidate);
    if (dirname(directory) === directory) return undefined;
  }
}

async function readManifest(directory: string) {
  const manifest: unknown = JSON.parse(await readFile(join(directory, 'package.json'), 'utf8'));
  const field = (name: string): unknown => (manifest instanceof Object ? Reflect.get(manifest, name) : undefined);
  const dependencies = field('dependencies');
  return {
    name: String(field('name')),
    version: String(field('version')),
    dependencies: dependencies instanceof Object ? Object.keys(dependencies) : [],
  };
}

async function exists(path: string): Promise<boolean> {
  return await access(path).then(
    () => true,
    () => false,
  );
}
