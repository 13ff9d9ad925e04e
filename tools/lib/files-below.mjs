import { readdirSync, statSync } from 'node:fs';
import { join, resolve } from 'node:path';

const skipped = new Set([
  'node_modules',
  'dist',
  'vectors',
  'coverage',
  'network',
  'generated',
  '.git',
  '.nx',
  '.cairn',
]);

/** Yields the source files below a path, or the path itself when it is a file. Skips dependencies, builds and test vectors. */
export function* filesBelow(path, { isSkipped = () => false } = {}) {
  const start = resolve(path);
  if (!statSync(start).isDirectory()) return yield start;
  for (const entry of readdirSync(start, { withFileTypes: true })) {
    if (entry.isDirectory()) {
      const directory = join(start, entry.name);
      if (!skipped.has(entry.name) && !isSkipped(directory)) yield* filesBelow(directory, { isSkipped });
    } else if (entry.isFile()) yield join(start, entry.name);
  }
}
