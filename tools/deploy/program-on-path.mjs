import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';

/** Returns the path of an installed program, or undefined. */
export function programOnPath(name) {
  const directories = [...(process.env.PATH ?? '').split(delimiter), '/usr/sbin', '/usr/local/bin'];
  return directories.map((directory) => join(directory, name)).find(existsSync);
}
