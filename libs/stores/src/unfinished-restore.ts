import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { StoresError } from './store-settings.ts';

/** Directories of an unfinished restore in a home, by its step: files are copied and verified, then moved into the home. */
export const restoreDirectories = { copied: '.restore.partial', moved: '.restore.verified' } as const;

/** Refuses a home with an unfinished restore: new stores would take the places of the missing ones. @throws HOME_INCOMPLETE */
export function requireRestored(home: string): void {
  const unfinished = Object.values(restoreDirectories).find((name) => existsSync(join(home, name)));
  if (unfinished === undefined) return;
  throw new StoresError(
    'HOME_INCOMPLETE',
    `A restore into ${home} is not finished: ${join(home, unfinished)} exists.`,
    {
      hint: 'Wait for the end of `cairn restore`. If it was stopped, run it again with the same backup.',
      details: { home },
    },
  );
}
