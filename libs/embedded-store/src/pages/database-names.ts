import { join } from 'node:path';
import { PageDamage, PageFile } from './page-file.ts';
import { PageWalk } from './page-walk.ts';

const attemptsMax = 5;

/** Returns the names of the databases in the LMDB file of a directory. @throws {PageDamage} */
export function databaseNames(directory: string): string[] {
  const file = new PageFile(join(directory, 'data.mdb'));
  try {
    for (let attempt = 1; ; attempt++) {
      try {
        const walk = new PageWalk(file, file.meta(), { withLeaves: false });
        for (const _ of walk.steps());
        return [...walk.databases.keys()];
      } catch (error) {
        // Another process may have written during the walk.
        if (!(error instanceof PageDamage) || attempt === attemptsMax) throw error;
      }
    }
  } finally {
    file.close();
  }
}
