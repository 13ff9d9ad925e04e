// Memory of idle services, measured by the memory rows of tools/bench/peers.mjs.
import { setTimeout as pause } from 'node:timers/promises';

/** Milliseconds in which V8 frees the buffers that a collection found unused. It does so in a thread of its own. */
const freeMs = 100;

let trim: Promise<(() => void) | undefined> | undefined;

/**
 * Gives memory that the C library holds free back to the system, some time after a collection. glibc does so by itself only above
 * the last allocation that is in use: a process of the storage API kept 25 MiB after an upload of 1 GiB. Does nothing with other C
 * libraries, and without the optional package `koffi`.
 */
export async function trimMemory(): Promise<void> {
  trim ??= findTrim();
  const found = await trim;
  await pause(freeMs, undefined, { ref: false });
  found?.();
}

/** Returns `malloc_trim` of glibc (malloc_trim(3)), which is safe beside threads that allocate; `undefined` without it. */
async function findTrim(): Promise<(() => void) | undefined> {
  if (process.platform !== 'linux') return undefined;
  try {
    const { default: koffi } = await import('koffi');
    const mallocTrim = koffi.load(null).func('int malloc_trim(size_t pad)');
    return () => mallocTrim(0);
  } catch {
    return undefined;
  }
}
