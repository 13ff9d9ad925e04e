import { join } from 'node:path';
import type { RootDatabase } from 'lmdb';
import { pageError } from './check-pages.ts';
import { PageDamage, PageFile } from './page-file.ts';
import { PageWalk } from './page-walk.ts';

/** Pages between two looks at the clock, and the length of a slice in milliseconds. */
const pagesPerLook = 64;
const sliceMs = 5;

/** Walks all pages of one snapshot of an open environment. @throws STORE_CORRUPT, the signal's reason */
export async function verifyPages(
  root: RootDatabase<Buffer, Uint8Array>,
  directory: string,
  signal: AbortSignal | undefined,
): Promise<void> {
  // Held while the file is walked: pages of this snapshot and of later ones are not written again.
  const snapshot = root.useReadTransaction();
  const file = new PageFile(join(directory, 'data.mdb'));
  try {
    let looked = 0;
    let began = performance.now();
    for (const _ of new PageWalk(file, readMeta(file)).steps()) {
      if (++looked % pagesPerLook !== 0 || performance.now() - began < sliceMs) continue;
      await new Promise((resolve) => setImmediate(resolve));
      signal?.throwIfAborted();
      began = performance.now();
    }
  } catch (error) {
    throw error instanceof PageDamage ? pageError(error, directory) : error;
  } finally {
    file.close();
    snapshot.done();
  }
}

const attemptsMax = 5;

/** A meta page that is read while it is written is not whole. */
function readMeta(file: PageFile) {
  for (let attempt = 1; ; attempt++) {
    try {
      return file.meta();
    } catch (error) {
      if (!(error instanceof PageDamage) || attempt === attemptsMax) throw error;
    }
  }
}
