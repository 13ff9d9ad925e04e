import { open } from 'node:fs/promises';

/** Resolves when a file, or the entries of a directory, are durable. */
export async function flush(path: string): Promise<void> {
  const handle = await open(path, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}
