import { existsSync, statSync } from 'node:fs';
import { endianness } from 'node:os';
import { join } from 'node:path';
import { isMainThread } from 'node:worker_threads';
import { StoreError } from '../errors.ts';
import { type Meta, PageDamage, PageFile } from './page-file.ts';
import { PageWalk } from './page-walk.ts';

/** Maximum size in bytes of a file whose leaf pages are walked at opening. */
const wholeBytesMax = 32 * 1024 * 1024;
/**
 * Maximum size in bytes of a file that is walked at opening. A walk of many gigabytes would delay the start of a service by
 * minutes.
 */
const walkedBytesMax = 1024 * 1024 * 1024;
/** Attempts, since other processes may write during a walk. */
const attemptsMax = 5;

/**
 * Verifies the pages of an LMDB file before LMDB maps it. A damaged page makes LMDB read foreign memory, end the process, or find
 * fewer entries. A file that other processes change during every attempt is not verified.
 * @throws STORE_CORRUPT
 */
export function checkPagesAtOpen(directory: string): void {
  const path = join(directory, 'data.mdb');
  // The main thread opens a store before its workers do.
  if (!isMainThread || endianness() !== 'LE' || !existsSync(path) || statSync(path).size === 0) return;
  for (let attempt = 1; attempt <= attemptsMax; attempt++) {
    const file = new PageFile(path);
    try {
      const meta = readMeta(file);
      const damage = meta instanceof PageDamage ? meta : walk(file, meta);
      if (damage === undefined) return;
      // A meta page that is read during a write looks damaged too.
      if (meta instanceof PageDamage ? attempt < attemptsMax : hasMoved(file, meta)) continue;
      throw pageError(damage, directory);
    } finally {
      file.close();
    }
  }
}

function readMeta(file: PageFile): Meta | PageDamage {
  try {
    return file.meta();
  } catch (error) {
    if (error instanceof PageDamage) return error;
    throw error;
  }
}

function walk(file: PageFile, meta: Meta): PageDamage | undefined {
  const bytes = meta.lastPage * meta.pageBytes;
  if (bytes > walkedBytesMax) return undefined;
  const withLeaves = bytes <= wholeBytesMax;
  try {
    for (const _ of new PageWalk(file, meta, { withLeaves }).steps());
    return undefined;
  } catch (error) {
    if (error instanceof PageDamage) return error;
    throw error;
  }
}

function hasMoved(file: PageFile, { transaction }: Meta): boolean {
  const now = readMeta(file);
  return now instanceof PageDamage || now.transaction !== transaction;
}

/** Creates the error for damaged pages. */
export function pageError(damage: PageDamage, directory: string): StoreError {
  return new StoreError('STORE_CORRUPT', `The store in ${directory} is damaged: ${damage.message}.`, {
    hint: 'Stop the services, run `cairn verify`, then restore a backup or follow the guide "Repair a store".',
    details: { directory },
  });
}
