import { join } from 'node:path';
import type { RootDatabase } from 'lmdb';
import { pageError } from './check-pages.ts';
import { PageDamage, PageFile } from './page-file.ts';
import { PageWalk } from './page-walk.ts';

/** Pages between two checks of the clock. */
const pagesPerCheck = 64;
/** Duration of a slice in milliseconds. */
const sliceMs = 5;

/** Walks all pages of one snapshot of an open environment. @throws STORE_CORRUPT, the reason of the signal */
export async function verifyPages(
  root: RootDatabase<Buffer, Uint8Array>,
  directory: string,
  signal: AbortSignal | undefined,
): Promise<void> {
  // An open snapshot keeps LMDB from reusing its pages during the walk.
  const snapshot = root.useReadTransaction();
  const file = new PageFile(join(directory, 'data.mdb'));
  try {
    let pages = 0;
    let began = performance.now();
    for (const _ of new PageWalk(file, readMeta(file)).steps()) {
      if (++pages % pagesPerCheck !== 0 || performance.now() - began < sliceMs) continue;
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

/** Reads the meta page. Retries, since a page that is read during a write looks damaged. */
function readMeta(file: PageFile) {
  for (let attempt = 1; ; attempt++) {
    try {
      return file.meta();
    } catch (error) {
      if (!(error instanceof PageDamage) || attempt === attemptsMax) throw error;
    }
  }
}
