import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** Reads the packages by their directory, such as `libs/cid`: its path, and the packages of the workspace it depends on. */
export function readPackages(root) {
  const packages = new Map();
  const names = new Map();
  for (const kind of ['apps', 'libs'])
    for (const name of readdirSync(join(root, kind))) {
      const directory = join(root, kind, name);
      const manifest = JSON.parse(readFileSync(join(directory, 'package.json'), 'utf8'));
      packages.set(`${kind}/${name}`, {
        directory,
        project: manifest.name,
        dependencies: Object.keys(manifest.dependencies ?? {}),
      });
      names.set(manifest.name, `${kind}/${name}`);
    }
  for (const entry of packages.values())
    entry.dependencies = entry.dependencies.map((project) => names.get(project)).filter((name) => name !== undefined);
  return packages;
}

/** Returns those of the services that contain one of the changed packages, directly or through others. */
export function servicesReached(packages, changed, services) {
  const reaches = (name, seen = new Set()) => {
    if (changed.includes(name)) return true;
    if (seen.has(name)) return false;
    seen.add(name);
    return packages.get(name).dependencies.some((dependency) => reaches(dependency, seen));
  };
  return services.filter((name) => reaches(name));
}
