import { open, readFile, rename } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { FilterStore } from '@cairn/ipfs-peer';

/** Keeps the address filters of `swarm/filters` in a JSON file. A crash leaves the old or the new list. */
export function openFilterFile(path: string): FilterStore {
  return {
    async load() {
      const filters = parseJson(await readOrNone(path));
      if (Array.isArray(filters) && filters.every((filter) => typeof filter === 'string')) return filters;
      throw new Error(`${path} is not a list of address filters. Correct it, or remove it to start without filters.`);
    },
    async save(filters) {
      const file = await open(`${path}.new`, 'w', 0o600);
      try {
        await file.writeFile(`${JSON.stringify(filters, null, 2)}\n`);
        await file.sync();
      } finally {
        await file.close();
      }
      await rename(`${path}.new`, path);
      const directory = await open(dirname(path), 'r');
      await directory.sync().finally(() => directory.close());
    },
  };
}

async function readOrNone(path: string): Promise<string> {
  return await readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return '[]';
    throw error;
  });
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
