import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll } from '@jest/globals';

/** Directories that are removed after the last test of the file. */
export function temporaryDirectories(): () => string {
  const made: string[] = [];
  // After the stores of all tests are closed: hooks of one file run in the order in which they are declared.
  afterAll(() => {
    for (const directory of made.splice(0)) rmSync(directory, { recursive: true, force: true });
  });
  return () => {
    const directory = mkdtempSync(join(tmpdir(), 'cairn-metering-'));
    made.push(directory);
    return directory;
  };
}
