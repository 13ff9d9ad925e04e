import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll } from '@jest/globals';

/** Returns a function that creates temporary directories. They are removed after the last test of the file. */
export function temporaryDirectories(): () => string {
  const made: string[] = [];
  // Runs after the stores are closed: Jest runs the hooks of one file in order of declaration.
  afterAll(() => {
    for (const directory of made.splice(0)) rmSync(directory, { recursive: true, force: true });
  });
  return () => {
    const directory = mkdtempSync(join(tmpdir(), 'cairn-metering-'));
    made.push(directory);
    return directory;
  };
}
